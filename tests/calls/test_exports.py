# SPDX-License-Identifier: Apache-2.0
"""The exports and needs of the stubs: every name of every release under its symbol
version, and only libc."""

import unittest
from pathlib import Path

from build_folder import BUILD, with_drop_ins
import small_library
from abi_support import DESCRIBED, real

from anycuda.elf import read
from generate import copy_table

NATIVE = "ANYCUDA_NATIVE"
LIBC = {"libc.so.6", "libdl.so.2", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}  # the last two: __tls_get_addr


def wanted(library: str, versions: list) -> set[tuple[str, str]]:
    """(function, symbol version); `versions`: those of the descriptor, or the native one for all."""
    database, about = real(library), small_library.described(library)
    found = set()
    for name, function in database.functions.items():
        if about.callers and about.callers.built_for not in function.majors:
            continue
        for major in versions:
            if major == NATIVE or major.symbol_version is None:  # NCCL's functions have no versions
                found.add((name, NATIVE))
            elif about.caller_of(major.number) in function.majors:
                found.add((name, about.asked_for(major).symbol_version))
    return found


class Exports(unittest.TestCase):
    def functions(self, path: Path) -> set[tuple[str, str]]:
        return {(export.name, export.version) for export in read.read(path).exports()
                if export.name not in (copy_table.TABLE, copy_table.PROCESS) and export.name != export.version}

    def test_stub_has_every_name_of_every_release(self):
        for library in DESCRIBED:
            with self.subTest(library):
                about = small_library.described(library)
                path = BUILD / "lib" / about.stub
                self.assertEqual(self.functions(path), wanted(library, [NATIVE, *about.majors]))
                self.assertLessEqual(set(read.read(path).needed), LIBC)

    @with_drop_ins
    def test_drop_in_has_the_names_of_its_major(self):
        for library in DESCRIBED:
            about = small_library.described(library)
            for major in map(about.asked_for, about.majors):
                with self.subTest(major.soname):
                    path = BUILD / "lib" / "dropin" / major.soname
                    self.assertEqual(self.functions(path), wanted(library, [major]))
                    self.assertEqual(read.read(path).soname, major.soname)
                    self.assertLessEqual(set(read.read(path).needed), LIBC)


if __name__ == "__main__":
    unittest.main()
