# SPDX-License-Identifier: Apache-2.0
"""Libraries that the project does not have, from a folder that is laid out as stubs/ (docs/new-library.md)."""

from __future__ import annotations

import json
import tempfile
import unittest
from pathlib import Path

import generate_support
from abi_support import ROOT
from generate import libraries, matrix
from generate.library_folders import STUBS, LibraryFolders


class FolderCase(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.put("small")

    def put(self, name: str, own_name: str = "") -> None:
        """The small library under a name, and what its library.json says the name is."""
        facts = self.folder / name / "abi"
        facts.mkdir(parents=True)
        for file in ("versions", "types", "functions", "errors"):
            (facts / f"{file}.txt").write_text(getattr(generate_support, file.upper()))
        text = {**generate_support.LIBRARY, "name": own_name or name}
        (self.folder / name / "library.json").write_text(json.dumps(text))

    @property
    def folders(self) -> LibraryFolders:
        return LibraryFolders((self.folder,))


class Folders(FolderCase):
    def test_of_the_project_are_always_there(self) -> None:
        self.assertEqual(LibraryFolders().names(), sorted(path.parent.name for path in STUBS.glob("*/library.json")))
        self.assertEqual(self.folders.facts("cudart"), STUBS / "cudart" / "abi")

    def test_of_others_add_their_libraries(self) -> None:
        self.assertEqual(self.folders.names()[-1], "small")
        self.assertEqual(self.folders.descriptor("small").product, "small library")
        self.assertIn("added", self.folders.database("small").functions)

    def test_without_a_library_are_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, "as in stubs/"):
            LibraryFolders((ROOT / "docs",))

    def test_with_a_library_of_the_project_are_refused(self) -> None:
        self.put("nvrtc")
        with self.assertRaisesRegex(ValueError, "^nvrtc: described in two"):
            _ = self.folders

    def test_with_another_name_than_the_library_are_refused(self) -> None:
        self.put("smaller", own_name="small")
        with self.assertRaisesRegex(ValueError, "'smaller', but its name is 'small'"):
            self.folders.descriptor("smaller")


class Outputs(FolderCase):
    def test_of_the_search_have_the_library(self) -> None:
        text = libraries.cplusplus(self.folders)
        self.assertIn('{&kSmall, &kSmallSymbols, "libsmall_stub.so"}', text)
        self.assertIn(f"kLibraryCount = {len(LibraryFolders().names()) + 1};", text)
        self.assertNotIn("kSmall", libraries.cplusplus())

    def test_of_the_matrix_have_the_library(self) -> None:
        found = json.loads(matrix.text("1.2.3", self.folders))["libraries"]
        self.assertEqual(found["small"]["stub"], "libsmall_stub.so")
        self.assertEqual(found["small"]["runtimes"], ["11.8", "12.0", "12.1", "13.0"])


if __name__ == "__main__":
    unittest.main()
