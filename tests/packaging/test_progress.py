# SPDX-License-Identifier: Apache-2.0
"""The progress of long work on a terminal and in a log."""

import io
import unittest
from unittest import mock

from matrix_support import Terminal  # puts anycuda on the path

from anycuda.analysis.reading_progress import Progress as Check
from anycuda.repair.report import Progress as Repair

LONG = "a" * 90 + "-1.0-cp311-cp311-manylinux_2_17_x86_64.whl"


class Progress(unittest.TestCase):
    def shown(self, stream: io.StringIO) -> list[str]:
        return [line for line in stream.getvalue().split("\r\033[K") if line]

    def repair(self, stream: io.StringIO, seconds: float) -> Repair:
        progress = Repair(stream, clock=iter([0.0, seconds, 2 * seconds]).__next__)
        progress.start(f"{LONG}: reading", 4_000_000)
        progress.step("one.so", 1_000_000)
        progress.step("two\n.so", 2_000_000)
        return progress

    def test_a_narrow_terminal_shows_how_much_is_done(self):
        with mock.patch("shutil.get_terminal_size", return_value=mock.Mock(columns=60)):
            stream = Terminal()
            self.repair(stream, 1).clear()
            check = Terminal()
            Check("check", check)(f"{LONG}\n", 1 << 20, 3 << 20)
        lines = self.shown(stream)
        self.assertEqual([line[:16] for line in lines], [" 25 % of 4 MB, a", " 75 % of 4 MB, a"])
        self.assertEqual({len(line) for line in lines}, {59})
        self.assertTrue(stream.getvalue().endswith("\r\033[K"), "the line stays behind")
        self.assertTrue(self.shown(check)[0].startswith("checking 1 of 3 MB: aaa"))
        self.assertNotIn("\n", check.getvalue())

    def test_a_log_gets_whole_lines_now_and_then(self):
        stream = io.StringIO()
        self.repair(stream, 3).clear()  # the first step is too early for another line
        self.assertEqual(stream.getvalue(), f"{LONG}: reading  75 % of 4 MB: two\n.so\n")
        stream = io.StringIO()
        check = Check("check", stream)
        for done in (99, 100, 150, 201):
            check("name", done << 20, 300 << 20)
        check.end()
        self.assertEqual(stream.getvalue(), "anycuda check: 100 of 300 MB\nanycuda check: 201 of 300 MB\n")


if __name__ == "__main__":
    unittest.main()
