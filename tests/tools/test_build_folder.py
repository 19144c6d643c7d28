# SPDX-License-Identifier: Apache-2.0
"""tests/support/python/build_folder.py: which build folder a Python test uses, and the error without one."""

import tempfile
import unittest
from pathlib import Path

from build_folder import MissingBuild, build_file, find


class BuildFolder(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="anycuda-test-")
        self.addCleanup(temporary.cleanup)
        self.root = Path(temporary.name).resolve()

    def make(self, name: str) -> Path:
        folder = self.root / name
        folder.mkdir(parents=True)
        (folder / "CMakeCache.txt").touch()
        return folder

    def test_variable_comes_before_the_presets_folders(self) -> None:
        named = self.make("elsewhere")
        self.make("build/dev")
        self.assertEqual(find(str(named), self.root), named)

    def test_dev_comes_before_test(self) -> None:
        test = self.make("build/test")
        self.assertEqual(find(None, self.root), test)
        self.assertEqual(find("", self.root), test)
        dev = self.make("build/dev")
        self.assertEqual(find(None, self.root), dev)

    def test_missing_build_folder_is_an_error(self) -> None:
        with self.assertRaisesRegex(MissingBuild, "ANYCUDA_BUILD is not set, .* run `cmake --preset dev && "):
            find(None, self.root)
        with self.assertRaisesRegex(MissingBuild, "ANYCUDA_BUILD=.*/elsewhere is not a build folder of CMake; set "):
            find(str(self.root / "elsewhere"), self.root)

    def test_missing_file_of_the_build_is_an_error(self) -> None:
        self.assertTrue(build_file("CMakeCache.txt").is_file())
        with self.assertRaisesRegex(MissingBuild, "none is missing; run `cmake --build "):
            build_file("none")


if __name__ == "__main__":
    unittest.main()
