# SPDX-License-Identifier: Apache-2.0
"""The stubs on the oldest glibc that Debian's mirrors have, 2.31, in which libdl, libpthread and librt still are
separate libraries."""

import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from build_folder import BUILD, artifact

HERE = Path(__file__).resolve().parent
GLIBC = artifact("oldest_glibc")
VERSIONS = ("libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13")


def library(name: str) -> Path:
    return next(artifact(name).glob("nvidia/*/lib/lib*.so.*[0-9]"))


class OldestGlibc(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="anycuda-oldest-")
        cls.addClassCleanup(folder.cleanup)
        cls.program = Path(folder.name) / "call"  # for glibc 2.17, as no compiler of this machine makes it
        zig = artifact("zig") / "bin/zig"
        subprocess.run([zig, "cc", "-target", "x86_64-linux-gnu.2.17", HERE / "call.c", "-ldl", "-o", cls.program],
                       check=True)

    def call(self, stub: str, version: str, function: str, *folders: Path, **variables: str) -> str:
        """What the call gave, as tests/oldest_glibc/call.c prints it."""
        where = ":".join(map(str, folders))  # the stub looks into the variable, the dynamic linker into its own path
        with tempfile.TemporaryDirectory(prefix="oldest-root-") as root:
            result = subprocess.run(
                [str(GLIBC / "ld-2.31.so"), "--library-path", f"{GLIBC}:{where}", str(self.program),
                 str(BUILD / "lib" / f"lib{stub}_stub.so"), version, function],
                env={"ANYCUDA_SYSTEM_ROOT": root, "ANYCUDA_LOG": "off", "LD_BIND_NOW": "1", "LD_LIBRARY_PATH": where,
                     **variables},
                capture_output=True, text=True, timeout=120)  # fmt: skip
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def test_is_what_the_program_gets(self):
        words = [str(GLIBC / "ld-2.31.so"), str(GLIBC / "libc-2.31.so")]
        output = subprocess.run(words, capture_output=True, text=True, timeout=60).stdout
        self.assertRegex(output, re.escape("GNU C Library (Debian GLIBC 2.31"))

    def test_runtimes_serve_callers_of_three_majors(self):
        # CUDA 11 asks for a GPU before it tells its version; a caller of a later major gets it without.
        for release, numbers in (("11.8", ("100: 0", "0: 11080", "0: 11080")), ("12.9", ("0: 12090",) * 3),
                                 ("13.0", ("0: 13000",) * 3)):
            folders = [library(f"cudart-{release}").parent]
            if release == "11.8":
                folders.append(artifact("driver-535"))
            for version, number in zip(VERSIONS, numbers):
                with self.subTest(runtime=release, caller=version):
                    self.assertEqual(self.call("cudart", version, "cudaRuntimeGetVersion", *folders), f"{number} 0\n")

    def test_the_other_stubs(self):
        self.assertEqual(self.call("nvrtc", "-", "nvrtcVersion", library("nvrtc-12.9").parent), "0: 12 9\n")
        self.assertEqual(self.call("nvjitlink", "-", "nvJitLinkVersion", library("nvjitlink-12.9").parent), "0: 12 9\n")
        self.assertEqual(self.call("cuda", "-", "cuDriverGetVersion", artifact("driver-535")), "0: 12020 0\n")
        self.assertEqual(self.call("cuda", "-", "cuInit", artifact("driver-535")), "100: 0 0\n")

    def test_all_four_without_cuda(self):
        for stub, function, wanted in (("cudart", "cudaGetDeviceCount", "35: 0 0\n"),
                                       ("nvrtc", "nvrtcVersion", "11: 0 0\n"),
                                       ("nvjitlink", "nvJitLinkVersion", "6: 0 0\n"), ("cuda", "cuInit", "100: 0 0\n")):
            with self.subTest(stub):
                self.assertEqual(self.call(stub, "-", function), wanted)


if __name__ == "__main__":
    unittest.main()
