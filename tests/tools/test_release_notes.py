# SPDX-License-Identifier: Apache-2.0
"""A release has one version in its tag, in CMakeLists.txt and in CHANGELOG.md."""

from __future__ import annotations

import importlib.util
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_spec = importlib.util.spec_from_file_location("release_notes", ROOT / ".ci/release_notes.py")
release_notes = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(release_notes)

CMAKE = "cmake_minimum_required(VERSION 3.25)\nproject(anycuda VERSION 0.2.0 LANGUAGES C)\n"
CHANGELOG = """# Changelog

## Unreleased

- Later.

## 0.2.0 - 2026-12-01

### Added
- A command.

## 0.1.0

- The first.
"""


class ReleaseNotesTest(unittest.TestCase):
    def test_section_of_a_version(self):
        self.assertEqual(release_notes.notes(CHANGELOG, "0.2.0"), "### Added\n- A command.")
        self.assertEqual(release_notes.notes(CHANGELOG, "0.1.0"), "- The first.")

    def test_version_without_a_section(self):
        self.assertIsNone(release_notes.notes(CHANGELOG, "0.2"))
        self.assertIsNone(release_notes.notes("", "0.2.0"))

    def test_release(self):
        self.assertEqual(release_notes.problem("v0.2.0", CMAKE, CHANGELOG), "")

    def test_tag_of_another_version(self):
        for tag in ("v0.2.1", "0.2.0", "v0.1.0", ""):
            with self.subTest(tag):
                self.assertIn("CMakeLists.txt has version 0.2.0", release_notes.problem(tag, CMAKE, CHANGELOG))

    def test_missing_or_empty_section(self):
        self.assertIn("no section 0.2.0", release_notes.problem("v0.2.0", CMAKE, "# Changelog\n\n## Unreleased\n"))
        self.assertIn("nothing about 0.2.0", release_notes.problem("v0.2.0", CMAKE, "## 0.2.0\n\n## 0.1.0\n- First.\n"))

    def test_the_projects_files_name_its_version(self):
        version = re.search(r"^project\(anycuda VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]
        changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
        self.assertTrue(release_notes.notes(changelog, version) or release_notes.notes(changelog, "Unreleased"))
        self.assertIn(f"\nversion: {version}\n", (ROOT / "CITATION.cff").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
