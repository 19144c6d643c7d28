# SPDX-License-Identifier: Apache-2.0
"""Programs for aarch64, run on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

BUILD = Path(os.environ["ANYCUDA_BUILD"])
HERE = BUILD / "tests" / "emulated"
WHERE = json.loads((HERE / "where.json").read_text(encoding="utf-8"))
STUBS = BUILD / "lib"
DROPINS = STUBS / "dropin"
LIBRARIES = {"nvjitlink": "libnvJitLink"}  # where the file is not named like the stub
# The CPU with branch target identification and pointer authentication, of a kind that costs the emulator less.
CPU = "max,pauth-impdef=on"
MAJORS = {"11": "11.8", "12": "12.9", "13": "13.5"}


class Emulated(unittest.TestCase):
    """A machine without any CUDA but what a test puts on LD_LIBRARY_PATH."""

    @classmethod
    def setUpClass(cls) -> None:
        root = tempfile.TemporaryDirectory(prefix="aarch64-root-")
        cls.addClassCleanup(root.cleanup)
        cls.root = root.name

    def run_program(self, name: str, *words: str, libraries: list[Path] | None = None, **variables: str) -> str:
        """What it prints. `libraries`: folders, before that of the stubs."""
        result = self.result(name, *words, libraries=libraries, **variables)
        self.assertEqual(result.returncode, 0, f"{name} {words}: {result.stdout}{result.stderr}")
        self.stderr = result.stderr
        return result.stdout

    def result(self, name: str, *words: str, libraries: list[Path] | None = None, cpu: str = CPU,
               sysroot: str = WHERE["sysroot"], **variables: str) -> subprocess.CompletedProcess:  # fmt: skip
        folders = [*(libraries or []), STUBS]
        settings = {
            "LD_LIBRARY_PATH": ":".join(map(str, folders)),
            "ANYCUDA_SYSTEM_ROOT": self.root,
            "ANYCUDA_LOG": "off",
            **variables,
        }
        sets = [word for item in settings.items() for word in ("-E", "=".join(item))]
        return subprocess.run(
            [WHERE["qemu"], "-cpu", cpu, "-L", sysroot, *sets, str(HERE / "programs" / name), *words],
            env={}, capture_output=True, text=True, timeout=300,
        )  # fmt: skip

    def lines(self, name: str, *words: str, libraries: list[Path] | None = None, **variables: str) -> dict[str, str]:
        """The same by the first word of each line."""
        text = self.run_program(name, *words, libraries=libraries, **variables)
        return dict(line.split(" ", 1) for line in text.splitlines())


def library(artifact: str) -> Path:
    """The one library file of an artifact."""
    name = artifact.split("-")[0].split("_")[1]
    return next(Path(WHERE[artifact]).glob(f"nvidia/*/lib/{LIBRARIES.get(name, 'lib' + name)}.so.*"))


def fake(name: str) -> Path:
    return HERE / "fakes" / name
