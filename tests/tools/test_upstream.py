# SPDX-License-Identifier: Apache-2.0
"""docs/upstream.md: each row names an existing test, except rows whose behaviour anycuda lacks or does otherwise."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/upstream.md"
VERDICTS = ("same", "better", "other", "missing")
TESTS = re.compile(r"(tests/[\w/.-]+\.(?:cc|py|cu))(?:: ([\w/]+\.\w+))?")


def rows() -> list[list[str]]:
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    return [row for row in cells if row[0] != "behaviour upstream" and not set(row[0]) <= {"-"}]


def defines(file: Path, name: str) -> bool:
    """`Suite.Test`; a suite with parameters may have a prefix, as in `Releases/Suite.Test`."""
    suite, test = name.rsplit("/", 1)[-1].split(".")
    return re.search(rf"TEST(_F|_P)?\(\s*{suite},\s*{test}\s*\)", file.read_text(encoding="utf-8")) is not None


class Upstream(unittest.TestCase):
    def test_rows(self):
        self.assertGreater(len(rows()), 300)
        self.assertTrue(defines(Path(__file__).parents[1] / "linker/library_test.cc", "Library.LoadsFiles"))
        self.assertFalse(defines(Path(__file__).parents[1] / "linker/library_test.cc", "Library.LoadsFile"))
        for row in rows():
            with self.subTest(row[0]):
                self.assertEqual(len(row), 3, row)
                behaviour, here, tested = row
                verdict = re.match(r"\w+", here)
                self.assertTrue(behaviour and verdict and verdict[0] in VERDICTS, row)
                tests = TESTS.findall(tested)
                self.assertEqual(TESTS.sub("", tested).strip(" ,;`"), "", tested)
                self.assertTrue(tests or verdict[0] in ("other", "missing"), "a row without a test")
                for file, name in tests:
                    self.assertTrue((ROOT / file).is_file(), file)
                    self.assertTrue(not name or defines(ROOT / file, name), f"{file}: {name}")


if __name__ == "__main__":
    unittest.main()
