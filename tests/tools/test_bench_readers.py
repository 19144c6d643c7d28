# SPDX-License-Identifier: Apache-2.0
"""The benchmark's readers: the tools' outputs as numbers."""

import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "packaging" / "python")]

from measure import memory, report, shims, tools, warm  # noqa: E402

TRACE = """\
openat(AT_FDCWD, "/lib/libc.so.6", O_RDONLY|O_CLOEXEC) = 3
write(-1, "begin load", 10)             = -1 EBADF (Bad file descriptor)
openat(AT_FDCWD, "/nowhere/libx.so", O_RDONLY|O_CLOEXEC) = -1 ENOENT (No such file or directory)
openat(AT_FDCWD, "/lib/libx.so", O_RDONLY|O_CLOEXEC) = 3
close(3)                                = 0
write(-1, "end load", 8)                = -1 EBADF (Bad file descriptor)
write(1, "load_ns 5", 9)                = 9
write(-1, "begin call", 10)             = -1 EBADF (Bad file descriptor)
write(-1, "end call", 8)                = -1 EBADF (Bad file descriptor)
"""

SMAPS = """\
memory start
object 1000 2000 /x/program
00001000-00002000 r-xp 00000000 00:00 7 /x/program
Rss:                   4 kB
Private_Dirty:         0 kB
end
load_ns 17
memory loaded
object 1000 2000 /x/program
object 5000 7800 /x/libx.so
00001000-00002000 r-xp 00000000 00:00 7 /x/program
Rss:                   4 kB
Private_Dirty:         0 kB
00005000-00006000 r-xp 00000000 00:00 8 /x/libx.so
Rss:                   4 kB
Pss:                   2 kB
Private_Dirty:         0 kB
00006000-00008000 rw-p 00000000 00:00 0
Rss:                   8 kB
Private_Dirty:         4 kB
00008000-0000a000 rw-p 00000000 00:00 0 [heap]
Rss:                   8 kB
Private_Dirty:         8 kB
VmFlags: rd wr
end
"""


class Callgrind(unittest.TestCase):
    def test_dump_after_a_function_has_its_count(self):
        dump = "desc: Trigger: --dump-after=phase_load\n\nsummary: 186787\n\ntotals: 186787\n"
        self.assertEqual(tools.read_phase(dump), ("phase_load", 186787))

    def test_a_dump_at_the_beginning_counts_nothing(self):
        self.assertIsNone(tools.read_phase(
            "desc: Trigger: --dump-before=phase_load\n\nsummary: 9\n"))

    def test_a_run_without_a_total_is_a_failure(self):
        with self.assertRaises(tools.Failure):
            tools.read_total("version: 1\n")

    def test_alike_calls_give_a_whole_number(self):
        self.assertEqual(warm.per_call(502_576, 674_576), 86)
        self.assertIsInstance(warm.per_call(502_576, 674_576), int)

    def test_calls_that_are_not_alike_are_not_rounded(self):
        self.assertEqual(warm.per_call(0, 3000), 1.5)


class Strace(unittest.TestCase):
    def test_calls_are_counted_between_marks_only(self):
        phases = tools.read_system_calls(TRACE)
        self.assertEqual(phases["load"], tools.SystemCalls(total=3, opened=1))
        self.assertEqual(phases["call"], tools.SystemCalls(total=0, opened=0))


class Memory(unittest.TestCase):
    def test_zeroed_data_is_the_librarys_and_heap_is_not(self):
        loaded = memory.read_moments(SMAPS)["loaded"]
        self.assertEqual(loaded.amount_of(Path("/x/libx.so")), memory.Amount(resident=12, dirty=4))

    def test_growth_is_the_whole_process_s(self):
        moments = memory.read_moments(SMAPS)
        self.assertEqual(moments["loaded"].whole() - moments["start"].whole(),
                         memory.Amount(resident=20, dirty=12))

    def test_an_unknown_object_has_nothing(self):
        self.assertEqual(memory.read_moments(SMAPS)["start"].amount_of(Path("/x/libx.so")), memory.Amount())


class Report(unittest.TestCase):
    def test_what_was_not_measured_is_shown_as_such(self):
        section = report.Section("T", "m", ["name", "n"], [["a", None], ["b", 1234]])
        self.assertIn("| b | 1,234 |", report.as_markdown("H", {}, [section]))
        self.assertIn("| a | - |", report.as_markdown("H", {}, [section]))


class Shims(unittest.TestCase):
    def test_each_function_has_an_entry_and_number(self):
        text = shims.assembler_text(["first", "second"])
        self.assertIn("cmpq $0, shim_table+8(%rip)", text)
        self.assertIn("pushq $1", text)
        self.assertIn(".zero 16", text)


if __name__ == "__main__":
    unittest.main()
