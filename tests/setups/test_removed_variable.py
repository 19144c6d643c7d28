# SPDX-License-Identifier: Apache-2.0
"""A program that removes LD_LIBRARY_PATH when it starts: the dynamic linker still has it, and so has the stub."""

from __future__ import annotations

import subprocess

from build_folder import build_file
from case import MachineCase
from parts import python

_PROCESS = """
import ctypes, os, sys
os.environ.pop("LD_LIBRARY_PATH", None)
version = ctypes.c_int()
print(ctypes.CDLL(sys.argv[1]).cudaRuntimeGetVersion(ctypes.byref(version)), version.value)
"""


class RemovedVariable(MachineCase):
    def _ask(self, *options: str) -> str:
        self.machine.runtime("/opt/start", "12.9").toolkit("/opt/home", "13.0")
        self.machine.env(CUDA_HOME="/opt/home")
        return subprocess.run([python(), *options, "-c", _PROCESS, build_file("lib/libcudart_stub.so")],
                              capture_output=True, text=True, cwd=self.machine.at("~"), env=self.machine.variables,
                              timeout=60, check=True).stdout.strip()

    def test_folder_of_the_start_is_searched(self) -> None:
        self.machine.env(LD_LIBRARY_PATH="/opt/nothing:/opt/start")
        self.assertEqual(self._ask(), "0 12090")

    def test_origin_is_the_programs_folder(self) -> None:
        up = "/".join([".."] * (len(python().resolve().parent.parts) - 1))
        self.machine.variables["LD_LIBRARY_PATH"] = f"$ORIGIN/{up}{self.machine.at('/opt/start')}"
        self.assertEqual(self._ask(), "0 12090")

    def test_without_it_the_next_tier_decides(self) -> None:
        self.assertEqual(self._ask(), "0 13000")
