# SPDX-License-Identifier: Apache-2.0
"""A test of the stub on a separate machine."""

from __future__ import annotations

import platform
import unittest
from pathlib import Path

from machine import Machine
from parts import BUILD, STUB, artifact

_X86_64 = b"\x3e\x00"  # e_machine


def why_not(*built: Path) -> str:
    """Why such tests cannot be run with the stub and these files of the build; empty if they can."""
    missing = [path.name for path in (STUB, *built) if BUILD is None or not path.exists()]
    if missing:
        return "ANYCUDA_BUILD names no build with " + ", ".join(missing)
    if platform.machine() != "x86_64" or STUB.read_bytes()[18:20] != _X86_64:
        return "the machines are made of files for x86_64"
    return ""


@unittest.skipIf(why_not(), why_not())
class MachineCase(unittest.TestCase):
    def setUp(self) -> None:
        artifact("cuda-pathfinder")  # process.py names it
        self.machine = Machine()
        self.addCleanup(self.machine.close)
