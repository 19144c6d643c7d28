# SPDX-License-Identifier: Apache-2.0
"""The stubs of the wheel need glibc 2.17. Here they run on the oldest one that Debian's mirrors have, 2.31, in which
libdl, libpthread and librt still are separate libraries."""

import re
import unittest
from pathlib import Path

from emulated import MAJORS, WHERE, Emulated, library

GLIBC = WHERE["oldest_glibc_aarch64"]


@unittest.skipUnless(GLIBC, "glibc 2.31 for aarch64 could not be fetched (set `oldest` of tools/fetch)")
class OldestGlibc(Emulated):
    def test_is_what_the_programs_get(self):
        output = self.result(str(Path(GLIBC) / "lib" / "libc.so.6"), sysroot=GLIBC).stdout
        self.assertRegex(output, re.escape("GNU C Library (Debian GLIBC 2.31"))

    def test_runs_the_runtimes_stub(self):
        for built, release in MAJORS.items():
            result = self.result(f"calls_{built}", "versions", "structure", sysroot=GLIBC,
                                 libraries=[library(f"aarch64_cudart-{release}").parent], LD_BIND_NOW="1")
            number = {"11.8": "35 -1", "12.9": "0 12090", "13.5": "0 13050"}[release]
            self.assertEqual((result.returncode, result.stdout),
                             (0, f"runtime {number}\ndriver 0 0\nchannel 8 16 24 32 2\n"), result.stderr)

    def test_runs_the_other_stubs(self):
        # NVRTC compiles with a library that needs a C++ library, which is not part of glibc.
        for program, artifact, wanted in (("compile_13", "aarch64_nvrtc-11.8", "version 0 11.8\ncreate 0, a program\n"),
                                          ("link_12", "aarch64_nvjitlink-13.5", "link 0 0 0 0, a cubin")):
            result = self.result(program, sysroot=GLIBC, libraries=[library(artifact).parent], LD_BIND_NOW="1")
            self.assertIn(wanted, result.stdout, result.stderr)
        result = self.result("driver", sysroot=GLIBC, libraries=[Path(WHERE["aarch64_driver-535"])], LD_BIND_NOW="1")
        self.assertIn("version 0 12020\n", result.stdout, result.stderr)

    def test_runs_all_four_without_cuda(self):
        for program, wanted in (("calls_12", ""), ("compile_13", "version 11 0.0\n"), ("link_13", "version 6 0.0\n"),
                                ("driver", "init 100\n")):
            result = self.result(program, sysroot=GLIBC, LD_BIND_NOW="1")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn(wanted, result.stdout)


if __name__ == "__main__":
    unittest.main()
