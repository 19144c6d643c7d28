# SPDX-License-Identifier: Apache-2.0
"""The catalogue has each component that the pinned cuda-pathfinder finds on Linux, under its name, and the SONAMEs of
its libraries."""

from __future__ import annotations

import importlib
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "compat" / "catalogue"))

from build_folder import artifact, with_real_libraries  # noqa: E402

from generate import KINDS, Catalogue  # noqa: E402

FOLDER = Path(__file__).resolve().parents[2] / "compat" / "catalogue"
# cuda-pathfinder's name -> the catalogue's: a bitcode library is named as its file.
OTHER_NAMES = {"device": "libdevice"}
UNRELEASED = {"libcurand.so.11"}  # no CUDA up to 13.5 has it


@with_real_libraries
class Names(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        sys.path.insert(0, str(artifact("cuda-pathfinder")))
        catalogue = Catalogue(FOLDER, {"target": "x86_64-linux", "multiarch": "x86_64-linux-gnu"})
        assert not catalogue.errors, catalogue.errors
        cls.rows = {kind: {row.name.lower(): row.values for row in catalogue.components if row.kind == kind}
                    for kind in KINDS.values()}

    @classmethod
    def tearDownClass(cls) -> None:
        sys.path.remove(str(artifact("cuda-pathfinder")))

    def compare(self, kind: str, expected: dict[str, tuple[str, ...]]) -> None:
        """`expected`: name -> SONAMEs."""
        self.assertGreater(len(expected), 0)
        for name, files in expected.items():
            with self.subTest(kind, name=name):
                row = self.rows[kind].get(OTHER_NAMES.get(name, name).lower())
                self.assertIsNotNone(row, f"compat/catalogue lacks the {kind} {name}")
                self.assertLessEqual({*files} - UNRELEASED, {*row["files"]})

    def test_dynamic_libraries(self) -> None:
        of = importlib.import_module("cuda.pathfinder._dynamic_libs.descriptor_catalog").DESCRIPTOR_CATALOG
        self.compare("dynamic_library", {one.name: one.linux_sonames for one in of if one.linux_sonames})

    def test_headers(self) -> None:
        of = importlib.import_module("cuda.pathfinder._headers.header_descriptor_catalog").HEADER_DESCRIPTOR_CATALOG
        self.compare("headers", dict.fromkeys((one.name for one in of if one.available_on_linux), ()))

    def test_programs(self) -> None:
        of = importlib.import_module("cuda.pathfinder._binaries.supported_nvidia_binaries").SUPPORTED_BINARIES
        self.compare("program", dict.fromkeys(of, ()))

    def test_static_and_bitcode_libraries(self) -> None:
        of = importlib.import_module("cuda.pathfinder._static_libs.find_static_lib")
        self.compare("static_library", dict.fromkeys(of.SUPPORTED_STATIC_LIBS, ()))
        of = importlib.import_module("cuda.pathfinder._static_libs.find_bitcode_lib")
        self.compare("bitcode_library", dict.fromkeys(of.SUPPORTED_BITCODE_LIBS, ()))


if __name__ == "__main__":
    unittest.main()
