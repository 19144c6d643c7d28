# SPDX-License-Identifier: Apache-2.0
"""The README is short, and every command that it and the pages for users' tasks show exists."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
import sys
import textwrap
import unittest
from pathlib import Path

from anycuda.__main__ import command_line

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CHANGE = (ROOT / "docs/contributing/change.md").read_text(encoding="utf-8")
MOST_LINES = 110
sys.path.insert(0, str(ROOT / ".ci"))

import fresh_root  # noqa: E402


TASKS = [*sorted((ROOT / "docs/howto").glob("*.md")), ROOT / "docs/troubleshooting.md"]


def commands(text: str) -> list[list[str]]:
    """The arguments of each `anycuda` command that a page shows on a separate line."""
    return _arguments(re.findall(r"^ {4}(anycuda .+)$", text, re.MULTILINE))


def commands_in_sentences(text: str) -> list[list[str]]:
    return _arguments(re.findall(r"`(anycuda [^`]+)`", text))


def _arguments(lines: list[str]) -> list[list[str]]:
    return [shlex.split(line, comments=True)[1:] for line in lines]


class Readme(unittest.TestCase):
    def test_fits_a_page(self) -> None:
        self.assertLessEqual(len(README.splitlines()), MOST_LINES)

    def test_shows_commands_that_exist(self) -> None:
        shown = commands(README) + commands_in_sentences(README)
        self.assertLessEqual({"check", "repair", "patch", "run", "matrix", "doctor"}, {words[0] for words in shown})
        self._exist(shown)

    def test_pages_for_tasks_show_commands_that_exist(self) -> None:
        shown = [words for page in TASKS for words in commands(page.read_text(encoding="utf-8"))]
        self.assertLessEqual({"check", "repair", "patch", "run", "doctor"}, {words[0] for words in shown})
        self._exist(shown)

    def test_page_for_applications_shows_the_tested_example(self) -> None:
        """test_cmake.Example (tests/consumers) builds and installs examples/cmake-cuda."""
        example = (ROOT / "examples/cmake-cuda/CMakeLists.txt").read_text(encoding="utf-8").partition("\n")[2]
        page = (ROOT / "docs/howto/application.md").read_text(encoding="utf-8")
        self.assertIn(textwrap.indent(example, "    "), page)

    def _exist(self, shown: list[list[str]]) -> None:
        for words in shown:
            with self.subTest(command=words), contextlib.redirect_stderr(io.StringIO()) as errors:
                try:
                    _, unknown = command_line().parse_known_args(words)
                except SystemExit:
                    self.fail(errors.getvalue())
                self.assertEqual(unknown, [])

    def test_shows_presets_and_packages_that_ci_tries(self) -> None:
        presets = {preset["name"] for preset in json.loads((ROOT / "CMakePresets.json").read_text())["workflowPresets"]}
        shown = set(re.findall(r"cmake --workflow --preset (\w+)", README))
        self.assertEqual(shown, {"demo", "test"})
        self.assertLessEqual(shown, presets)
        for preset in (*shown, "dev"):
            self.assertIn(f"cmake --workflow --preset {preset}'", (ROOT / ".ci/run").read_text(encoding="utf-8"))
        for suite, page in (("trixie", README), ("bookworm", CHANGE)):
            packages = fresh_root.PACKAGES[suite].replace(",", " ")
            self.assertIn(f"with the packages `{packages}`", page)


if __name__ == "__main__":
    unittest.main()
