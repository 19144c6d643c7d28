# SPDX-License-Identifier: Apache-2.0
"""A test of the stub on a separate machine."""

from __future__ import annotations

import unittest

from build_folder import artifact
from machine import Machine


class MachineCase(unittest.TestCase):
    def setUp(self) -> None:
        artifact("cuda-pathfinder")  # process.py names it
        self.machine = Machine()
        self.addCleanup(self.machine.close)
