# SPDX-License-Identifier: Apache-2.0
"""References by symbol versions that name the release in which a function came (cuTENSOR), on a file that is only
described: they belong to the library of the file's name, and tell no major of CUDA."""

from __future__ import annotations

import unittest
from pathlib import Path

from elf_support import read
from anycuda.analysis import file_use
from anycuda.analysis.libraries import Library, Major, Table
from anycuda.elf.symbols import Symbol


def library(name: str, soname: str, functions: str, symbol_versions: str) -> Library:
    return Library(name, name, f"lib{name}_stub.so", False, "libtoy.so",
                   {number: Major(number, soname, None) for number in ("12", "13")},
                   dict.fromkeys(functions.split(), ("12",)), own_releases=True,
                   symbol_versions=frozenset(symbol_versions.split()))


TABLE = Table({"toy1": library("toy1", "libtoy.so.1", "toyOpen toyInit", "libtoy.1.0"),
               "toy": library("toy", "libtoy.so.2", "toyOpen toyCreate", "libtoy.1.0 libtoy.2.0")}, {})


class References(unittest.TestCase):
    def uses(self, file: str, **symbols: str) -> list[tuple[str, list[tuple[str, str]]]]:
        image = read.Image(Path("/opt/app/program"), "x86_64", "executable", needed=[file])
        image.symbols = [Symbol(name, version, file, True, False, 0, 0, 0, False, True)
                         for name, version in symbols.items()]
        return [(use.library, [(one.name, one.major) for one in use.symbols])
                for name in TABLE.libraries for use in file_use._linked(image, TABLE.libraries[name], TABLE)]

    def test_are_of_the_library_whose_file_they_name(self) -> None:
        self.assertEqual(self.uses("libtoy.so.2", toyOpen="libtoy.1.0", toyCreate="libtoy.2.0"),
                         [("toy", [("toyCreate", ""), ("toyOpen", "")])])
        self.assertEqual(self.uses("libtoy.so.1", toyOpen="libtoy.1.0"), [("toy1", [("toyOpen", "")])])

    def test_by_a_version_that_the_library_does_not_have_are_none(self) -> None:
        self.assertEqual(self.uses("libtoy.so.2", toyOpen="libtoy.9.0"), [("toy", [])])


if __name__ == "__main__":
    unittest.main()
