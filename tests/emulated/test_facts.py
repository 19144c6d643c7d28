# SPDX-License-Identifier: Apache-2.0
"""The database was harvested from libraries for x86_64. The libraries for aarch64 export the same names."""

import re
import unittest
from pathlib import Path

from anycuda.elf import read
from emulated import WHERE, library
from generate import model

STUBS = Path(__file__).resolve().parents[2] / "stubs"


class RealLibraries(unittest.TestCase):
    def test_export_what_the_database_says(self):
        artifacts = [name for name in WHERE if name.startswith("aarch64_") and "driver" not in name]
        self.assertEqual(len(artifacts), 7)
        for artifact in artifacts:
            name, release = re.fullmatch(r"aarch64_(\w+)-([\d.]+)", artifact).groups()
            database = model.load(STUBS / name / "abi")
            known = {function for function, facts in database.functions.items() if release in facts.versions}
            image = read.read(library(artifact))
            with self.subTest(artifact=artifact):
                self.assertEqual(image.machine, "aarch64")
                self.assertEqual(image.versions_defined, [image.soname])
                self.assertEqual({symbol.name for symbol in image.exports()}, known)


if __name__ == "__main__":
    unittest.main()
