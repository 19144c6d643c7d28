# SPDX-License-Identifier: Apache-2.0
"""Every name that the real maths libraries export, with its symbol version: the stub and the drop-in of that major have
it too. (tests/calls/test_exports.py compares both with the ABI database.)"""

import os
import unittest
from pathlib import Path

from real_libraries import LIBRARIES, missing, real_files, stub

from anycuda.elf import read

BUILD = os.environ.get("ANYCUDA_BUILD")
NATIVE = "ANYCUDA_NATIVE"  # the symbol version of the stubs' names for references without one
# What no stub needs to have, with the reason.
EXCEPTIONS = dict.fromkeys(("__bss_start", "_edata", "_end"),
                           "the linker's mark of a place in this file, exported by NCCL 2.19")


def exports(path: Path) -> set[tuple[str, str]]:
    """(name, symbol version)"""
    return {(symbol.name, symbol.version or NATIVE) for symbol in read.read(path).exports()}


@unittest.skipUnless(BUILD, "needs a build")
class RealExports(unittest.TestCase):
    def test_every_name(self):
        if missing():
            self.skipTest(missing())
        for library in LIBRARIES:
            of_stub = exports(Path(BUILD) / "lib" / stub(library))
            for file in real_files(library):
                dropin = Path(BUILD) / "lib" / "dropin" / read.read(file.path).soname
                names = {pair for pair in exports(file.path) if pair[0] not in EXCEPTIONS}
                print(f"{library} {file.release}: {len(names)} names", flush=True)
                with self.subTest(library=library, release=file.release):
                    self.assertGreater(len(names), 10)
                    self.assertEqual(sorted(names - of_stub), [], "not in the stub")
                    self.assertEqual(sorted(names - exports(dropin)), [], f"not in the drop-in {dropin.name}")


if __name__ == "__main__":
    unittest.main()
