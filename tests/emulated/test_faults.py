# SPDX-License-Identifier: Apache-2.0
"""A first call in which malloc() or dlopen() fails: each call of either, once (tests/faults/README.md). Faults of
system calls need ptrace(), which qemu's user emulation does not have."""

import os
import re
import signal
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from emulated import STUBS, WHERE, Emulated, library

SITUATIONS = {  # stub, function, what the function returns without a library, folders with the library
    "the runtime": ("cudart", "cudaRuntimeGetVersion", 35, [library("aarch64_cudart-12.9").parent]),
    "the newest of three": ("cudart", "cudaRuntimeGetVersion", 35,
                            [library(f"aarch64_cudart-{release}").parent for release in ("11.8", "12.9", "13.5")]),
    "nothing": ("cudart", "cudaGetDevice", 35, []),
    "the linker": ("nvjitlink", "nvJitLinkVersion", 6, [library("aarch64_nvjitlink-13.5").parent]),
    "the driver": ("cuda", "cuDriverGetVersion", 3, [Path(WHERE["aarch64_driver-535"])]),
}  # fmt: skip
NAMES = {"cudart": "libcudart.so.*", "nvjitlink": "libnvJitLink.so.*", "cuda": "libcuda.so.1"}
OUTCOME = re.compile(r"first (?P<first>.*) second (?P<second>.*) files (?P<files>-?\d+) mapped \d+ anonymous \d+ "
                     r"seen (?P<seen>\d+) loaded (?P<loaded>.*)\n")


class FirstCall(Emulated):
    def outcomes(self, words: tuple[str, ...], folders: list[Path]):
        """For each malloc() and each dlopen() that fails: what the program reports, or None where it crashes."""
        for function in ("malloc", "dlopen"):
            for at in range(1, 10000):
                result = self.result("victim", *words, function, str(at), libraries=folders)
                self.assertIn(result.returncode, (0, -signal.SIGSEGV), f"{words} {function} {at}: {result.stderr}")
                found = OUTCOME.fullmatch(result.stdout)
                if found and int(found["seen"]) < at:  # it was not called so often
                    break
                yield function, at, found

    def crashes_of_the_linker(self, libraries: list[Path]) -> int:
        """How often dlopen() of the libraries themselves crashes: glibc's dynamic linker writes a TLS descriptor for
        aarch64 without a look at what malloc() gave."""
        return sum(found is None for file in libraries
                   for _, _, found in self.outcomes(("--open", str(file)), [file.parent]))

    def faults(self, situation: str) -> int:
        """How many were tried."""
        stub, name, no_library, folders = SITUATIONS[situation]
        words = str(STUBS / f"lib{stub}_stub.so"), name
        plain = OUTCOME.fullmatch(self.run_program("victim", *words, libraries=folders))
        self.assertEqual((plain["first"], plain["files"]), (plain["second"], "0"))
        tried = crashes = 0
        for function, at, found in self.outcomes(words, folders):
            tried += 1
            if found is None:
                crashes += 1
                continue
            fault = f"{situation}: {function} {at}: {found.group()}"
            statuses = {plain["first"].split()[0], str(no_library)}
            self.assertLessEqual({found["first"].split()[0], found["second"].split()[0]}, statuses, fault)
            self.assertEqual(found["files"], "0", fault)
            if function == "malloc":  # what is missing for a moment is not final
                self.assertEqual((found["second"], found["loaded"]), (plain["second"], plain["loaded"]), fault)
        if crashes:
            files = [next(folder.glob(NAMES[stub])) for folder in folders]
            self.assertLessEqual(crashes, self.crashes_of_the_linker(files), situation)
        print(f"{situation}: {tried} faults, {crashes} crashes of the dynamic linker")
        return tried

    def test_works_or_reports_a_missing_library(self):
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            tried = sum(pool.map(self.faults, SITUATIONS))
        print(f"{tried} faults")
        self.assertGreater(tried, 50)


if __name__ == "__main__":
    unittest.main()
