# SPDX-License-Identifier: Apache-2.0
"""The lint of words, .ci/lint_words.py: lines to rewrite, and the list of those that are plain English."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / ".ci"))

import lint_words  # noqa: E402

LIST = """# comment
[states that something is absent]
graph/*.cc: there is no capture
"""


def errors_of(line: str, path: str = "graph/a.cc", entries: str = "") -> list[str]:
    return lint_words.check([(path, 7, line)], lint_words.read_entries(entries)[0])


class Line(unittest.TestCase):
    def test_plain_line_passes(self) -> None:
        self.assertEqual(errors_of('  return "the file is not a wheel";'), [])

    def test_found_line_is_an_error(self) -> None:
        for words in ("it is no wheel", "a function of ours", "for compilers alone", "its owner cannot be said"):
            with self.subTest(words=words):
                self.assertEqual(errors_of(f"  // {words}"), [f"graph/a.cc:7: // {words}"])

    def test_listed_text_passes(self) -> None:
        self.assertEqual(errors_of('fail("there is no capture")', entries=LIST), [])

    def test_listed_text_in_another_file_is_an_error(self) -> None:
        found = errors_of("there is no capture", path="linker/a.cc", entries=LIST)
        self.assertEqual(found[0], "linker/a.cc:7: there is no capture")

    def test_second_finding_beside_listed_text_is_an_error(self) -> None:
        self.assertEqual(len(errors_of("there is no capture of ours", entries=LIST)), 1)


class List(unittest.TestCase):
    def test_unused_entry_is_an_error(self) -> None:
        self.assertEqual(errors_of("plain", entries=LIST),
                         [".ci/plain_words.txt:3: no line matches: graph/*.cc: there is no capture"])

    def test_entry_without_reason_is_an_error(self) -> None:
        for reason in ("", "[]\n"):
            with self.subTest(reason=reason):
                entries, errors = lint_words.read_entries(reason + "a.cc: there is no capture\n")
                self.assertEqual(entries, [])
                self.assertIn("needs a [reason]", errors[0])

    def test_entry_that_allows_nothing_is_an_error(self) -> None:
        for line in ("a.cc: plain", "a.cc there is no capture", "a.cc:"):
            with self.subTest(line=line):
                self.assertEqual(len(lint_words.read_entries(f"[reason]\n{line}\n")[1]), 1)


class Files(unittest.TestCase):
    def test_written_pages_are_skipped(self) -> None:
        self.assertFalse(lint_words.is_checked(".ci/plain_words.txt"))
        self.assertFalse(lint_words.is_checked("docs/wheels_torch.md"))
        self.assertTrue(lint_words.is_checked("docs/search.md"))
        self.assertTrue(lint_words.is_checked("loader/README.md"))


if __name__ == "__main__":
    unittest.main()
