# SPDX-License-Identifier: Apache-2.0
"""bench/gpu/graph_cost.py: two builds of graph_cost, whose numbers are known."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BENCH = Path(__file__).resolve().parents[2] / "bench" / "gpu"
sys.path.insert(0, str(BENCH))

from graph_cost import ratios, rows, shares  # noqa: E402

# As graph_cost writes it.
TEXT = """\
empty   raw                         1000    100.0 ns   1.00x     +0.0 ns | heap   116.8 B    +0.0 B | ours    0.0 B
empty   anycuda, no owner           1000     56.1 ns   0.67x    -28.0 ns | heap     8.7 B  -108.1 B | ours    0.0 B
empty   anycuda, an owner           1000    {ns} ns   3.00x   +192.8 ns | heap   154.1 B   +37.2 B | ours   {size} B
empty     beyond the driver's own: +81.3 ns, +25.4 B of heap a node
empty   drain                       1000    115.4 ns   1.37x    +31.3 ns | heap   -54.8 B  -171.6 B | ours  -55.2 B
"""


class GraphCost(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def program(self, name: str, ns: float = 300.0, size: float = 69.0, status: int = 0, text: str = TEXT) -> Path:
        file = self.folder / name
        text = text.format(ns=ns, size=size)
        file.write_text(f"#!{sys.executable}\nprint({text!r}, end='')\nraise SystemExit({status})\n")
        file.chmod(0o755)
        return file

    def run_with(self, before: Path, now: Path, *more: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([sys.executable, str(BENCH / "graph_cost.py"), str(before), str(now), "--pairs", "3",
                               *more], capture_output=True, text=True, timeout=60)

    def test_rows_and_ratios(self) -> None:
        found = rows(TEXT.format(ns=300.0, size=69.0))
        self.assertEqual(found["empty", "drain", 1000], (115.4, -55.2))
        self.assertEqual(len(found), 4)
        self.assertEqual(ratios(found), {"empty, 1000": (3.0, 69.0)})

    def test_the_same_cost_is_within(self) -> None:
        done = self.run_with(self.program("before"), self.program("now", ns=312.0))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("pair 3: empty, 1000: 3.000 -> 3.120\n", done.stdout)
        self.assertIn("| empty, 1000 | 3 | 3.00 | 3.12 | 1.0400 | 1.0400 to 1.0400 | within |", done.stdout)

    def test_a_higher_ratio_is_above(self) -> None:
        done = self.run_with(self.program("before"), self.program("now", ns=318.0))
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("| above |", done.stdout)

    def test_more_bytes_are_reported(self) -> None:
        done = self.run_with(self.program("before"), self.program("now", size=77.0))
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("empty, 1000: 69.0 bytes a node before, 77.0 now", done.stdout)

    def test_a_program_that_fails_ends_the_run_with_its_output(self) -> None:
        done = self.run_with(self.program("before"), self.program("now", status=3))
        self.assertEqual(done.returncode, 1)
        self.assertIn("now failed (3)", done.stderr)

    def test_programs_that_measure_other_things_are_not_compared(self) -> None:
        done = self.run_with(self.program("before", text=TEXT.replace("drain ", "drains")), self.program("now"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("different versions of bench/gpu/graph.cc", done.stderr)

    def test_pairs_measured_at_a_time_have_processors_of_their_own(self) -> None:
        self.assertEqual(shares([0, 1, 4, 5, 9], 2), [[0, 1], [4, 5]])
        done = self.run_with(self.program("before"), self.program("now", ns=312.0), "--at-a-time", "1")
        self.assertIn("| empty, 1000 | 3 |", done.stdout)
        too_many = str(len(os.sched_getaffinity(0)) + 1)
        done = self.run_with(self.program("before"), self.program("now"), "--at-a-time", too_many)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"--at-a-time {too_many} is more than the", done.stderr)

    def test_no_new_pair_after_the_limit(self) -> None:
        done = self.run_with(self.program("before"), self.program("now", ns=312.0), "--limit-s", "0")
        self.assertIn("| empty, 1000 | 1 |", done.stdout)


if __name__ == "__main__":
    unittest.main()
