# SPDX-License-Identifier: Apache-2.0
"""The report about logs as valgrind writes them."""

import contextlib
import io
import tempfile
import unittest
from pathlib import Path

import memcheck_report

ERROR = """==7== Invalid read of size 8
==7==    at 0x401136: main (wrong.c:5)
==7==
"""


class Report(unittest.TestCase):
    def run_on(self, *logs: str) -> tuple[int, str]:
        with tempfile.TemporaryDirectory() as folder:
            for number, text in enumerate(logs):
                (Path(folder) / f"{number}.log").write_text(text, encoding="utf-8")
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                status = memcheck_report.main([folder])
        return status, output.getvalue()

    def test_programs_without_errors_pass(self):
        self.assertEqual(self.run_on("", "==5== \n"), (0, "memcheck: 2 programs, 0 of them with errors\n"))

    def test_same_error_in_two_processes_is_reported_once(self):
        status, output = self.run_on(ERROR, "", ERROR.replace("==7==", "==8=="))
        self.assertEqual(status, 1)
        self.assertEqual(output.count("Invalid read of size 8"), 1)
        self.assertIn("--- in 2 programs\n", output)
        self.assertIn("memcheck: 3 programs, 2 of them with errors\n", output)

    def test_no_program_at_all_fails(self):
        self.assertEqual(self.run_on(), (1, "memcheck: 0 programs, 0 of them with errors\n"))


if __name__ == "__main__":
    unittest.main()
