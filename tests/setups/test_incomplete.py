# SPDX-License-Identifier: Apache-2.0
"""An NVRTC whose libnvrtc-builtins is missing compiles nothing: a whole one comes first, wherever it is."""

from __future__ import annotations

import shutil
import subprocess

from build_folder import artifact, build_file
from case import MachineCase
from parts import COMPILES, place, python

BROKEN, WHOLE, ELSEWHERE = "/opt/broken", "/opt/whole", "/opt/elsewhere"
BUILTINS = "libnvrtc-builtins.so.12.9"
_PROCESS = COMPILES + """
print(*sorted({line.split(maxsplit=5)[-1].strip() for line in open("/proc/self/maps") if "libnvrtc.so" in line}))
"""
SUCCESS, BUILTINS_MISSING = "0", "7"


class Incomplete(MachineCase):
    def setUp(self) -> None:
        super().setUp()
        for folder in (BROKEN, WHOLE):
            for file in artifact("nvrtc-12.9").glob("nvidia/*/lib/*.so.*"):
                if folder == WHOLE or "builtins" not in file.name and "alt" not in file.name:
                    target = self.machine.at(f"{folder}/nvidia/cuda_nvrtc/lib/{file.name}")
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(file, target)  # two files: a second name of one would be the same candidate

    def compile(self, *sites: str) -> tuple[str, str, str]:
        """What compiling returns, the site of the NVRTC that is open, and the messages."""
        self.machine.env(PYTHONPATH=":".join(sites))
        done = subprocess.run([python(), "-c", _PROCESS, build_file("lib/libnvrtc_stub.so")], capture_output=True,
                              text=True, cwd=self.machine.at("~"), env=self.machine.variables, timeout=60, check=True)
        result, file = done.stdout.splitlines()
        return result, file.removeprefix(str(self.machine.root)).split("/nvidia/")[0], done.stderr

    def test_farther_whole_one_goes_first(self) -> None:
        self.assertEqual(self.compile(BROKEN, WHOLE)[:2], (SUCCESS, WHOLE))

    def test_only_one_is_opened_and_reported(self) -> None:
        self.machine.env(ANYCUDA_LOG="warn")
        result, site, messages = self.compile(BROKEN)
        self.assertEqual((result, site), (BUILTINS_MISSING, BROKEN))
        self.assertIn("/cuda_nvrtc/lib/libnvrtc.so.12 is incomplete: libnvrtc-builtins.so.12", messages)

    def test_file_that_the_dynamic_linker_finds_completes_it(self) -> None:
        place(next(artifact("nvrtc-12.9").rglob(BUILTINS)), self.machine.at(f"{ELSEWHERE}/{BUILTINS}"))
        self.machine.env(LD_LIBRARY_PATH=ELSEWHERE)
        self.assertEqual(self.compile(BROKEN, WHOLE)[:2], (SUCCESS, BROKEN))
