# SPDX-License-Identifier: Apache-2.0
"""NVRTC of every release compiles a kernel on a machine whose only CUDA is its wheel: through the stub, the class
Program, and the guard rails."""

from __future__ import annotations

import os
import subprocess
import unittest

from build_folder import BUILD, artifact, build_file
from machine import SITE, Machine
from parts import COMPILES, place, python

VENV = "~/venv"
RELEASES = ("11.7", "11.8", "12.0", "12.1", "12.2", "12.3", "12.4", "12.5", "12.6", "12.8", "12.9",
            "13.0", "13.1", "13.2", "13.3", "13.4", "13.5")


class Only(Machine):
    """A virtual environment with the wheel, and C++ programs in its bin."""

    def __init__(self, release: str) -> None:
        super().__init__()
        folder = artifact(f"nvrtc-{release}")
        for file in [*folder.glob("nvidia/*/lib/*.so.*"), *folder.glob("*.dist-info/*")]:
            place(file, self.at(f"{VENV}/{SITE}") / file.relative_to(folder))
        self.file(f"{VENV}/pyvenv.cfg", "home = /usr/bin\n").env(PYTHONPATH=f"{VENV}/{SITE}")

    def ask(self, *command: str | os.PathLike) -> str:
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.at("~"), env=self.variables,
                              timeout=300)
        return done.stdout + done.stderr

    def program(self, file: str) -> str:
        return str(place(BUILD / file, self.at(f"{VENV}/bin") / os.path.basename(file)))


class Releases(unittest.TestCase):
    def test_each_compiles_without_a_toolkit(self) -> None:
        for release in RELEASES:
            with self.subTest(release):
                machine = Only(release)
                self.addCleanup(machine.close)
                self.assertEqual(machine.ask(python(), "-c", COMPILES, build_file("lib/libnvrtc_stub.so")), "0\n")
                child = machine.program("tests/linker/programs/child")
                self.assertIn("PTX: ok\n", machine.ask(child, "programs", "tell"))
                rails = machine.ask(machine.program("tests/compat/programs/rails"), "nodriver", "compile")
                self.assertEqual(rails, "compile: 0\n")
