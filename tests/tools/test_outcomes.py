# SPDX-License-Identifier: Apache-2.0
"""compat/catalogue/outcomes.py: the outcomes in the repository are whole, and a faulty row is refused."""

from __future__ import annotations

import copy
import importlib.util
import subprocess
import sys
import tempfile
import tomllib
import unittest
from pathlib import Path

CATALOGUE = Path(__file__).resolve().parents[2] / "compat" / "catalogue"


def load():
    spec = importlib.util.spec_from_file_location("catalogue_outcomes", CATALOGUE / "outcomes.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


outcomes = load()
TABLE = tomllib.loads((CATALOGUE / "outcomes.toml").read_text(encoding="utf-8"))


class Outcomes(unittest.TestCase):
    def refuses(self, group: str, name: str, row: dict, expected: str) -> None:
        table = copy.deepcopy(TABLE)
        table[group][name] = row
        self.assertEqual(outcomes.problems(table), [f"[{group}.{name}]: {expected}"])

    def test_of_the_repository_are_right(self) -> None:
        self.assertEqual(outcomes.problems(TABLE), [])

    def test_faulty_rows_are_refused(self) -> None:
        self.refuses("verdict", "new", {}, "'reason' is missing")
        self.refuses("verdict", "new", {"reason": "a", "commands": "b"}, "'commands' is unknown")
        self.refuses("state", "new", {"reason": "a", "broken": "b", "refused": "c"},
                     "'broken' and 'refused' exclude each other")
        for text in ("a\nb", "Ü", "{major", "{a?b{c?d}}", "major}", "=a"):
            self.refuses("hint", "new", {"hint": text},
                         "'hint' has a character that a message cannot have, or a brace without its partner")
        self.assertEqual(len(outcomes.problems({})), 1)

    def test_a_row_more_is_an_enumerator_with_its_texts(self) -> None:
        table = copy.deepcopy(TABLE)
        table["tier"]["new"] = {"title": 'a "new" one', "in_python_after": "rpath"}
        self.assertIn("toolkit, system, new };\nconstexpr int kTierCount = 12;", outcomes.enumerations(table))
        self.assertIn(r'    "a \042new\042 one\0";', outcomes.texts(table))
        self.assertEqual(outcomes.orders(table["tier"])[1][2:4], ["rpath", "new"])

    def test_values_and_conditions_are_bytes(self) -> None:
        texts = outcomes.Texts()
        made = texts.column("kTest", ["a {one}{two?, {one}}", "{one!b}", "{one!b}"])
        self.assertEqual(made, r"""alignas(1) constexpr char kTest[] =
    "a \200\001\201, \200\003\0"
    "\002\200b\003\0"
    "=\0";
""")
        self.assertEqual(texts.fields, ["one", "two"])

    def test_unchanged_files_are_left_alone(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-B", CATALOGUE / "outcomes.py", CATALOGUE / "outcomes.toml", folder]
            files = [Path(folder) / name for name in ("outcomes.h", "outcome_texts.h")]
            subprocess.run(command, check=True)
            before = [file.stat().st_mtime_ns for file in files]
            subprocess.run(command, check=True)
            self.assertEqual([file.stat().st_mtime_ns for file in files], before)


if __name__ == "__main__":
    unittest.main()
