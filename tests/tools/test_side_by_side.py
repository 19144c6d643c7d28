# SPDX-License-Identifier: Apache-2.0
"""examples/side_by_side: the page counts the lines of each task as they are, and anycuda needs at most ten."""

import re
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "examples/side_by_side"


def lines_of_task(source: Path) -> int:
    inside = source.read_text(encoding="utf-8").split("[begin]\n")[1].split("[end]")[0].splitlines()[:-1]
    return sum(bool(line.strip()) for line in inside)


class SideBySide(unittest.TestCase):
    def test_lines(self):
        found = re.findall(r"\[(\d+) lines\]\(([\w./]+)\)", (FOLDER / "README.md").read_text(encoding="utf-8"))
        self.assertEqual(len(found), 6)
        for number, path in found:
            with self.subTest(path):
                self.assertEqual(lines_of_task(FOLDER / path), int(number))
                if path.startswith(".."):
                    self.assertLessEqual(int(number), 10)


if __name__ == "__main__":
    unittest.main()
