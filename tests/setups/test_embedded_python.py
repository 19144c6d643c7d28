# SPDX-License-Identifier: Apache-2.0
"""A program of another name that embeds a real Python, as Blender, uWSGI and PyInstaller's programs do: the stub picks
the CUDA of that Python's environment."""

from __future__ import annotations

import unittest

from case import MachineCase
from machine import SITE
from parts import compiled, place, python
from process import Program, Python
from row import described

_EDITOR = "~/editor/bin/editor"


class EmbeddedPython(MachineCase):
    def setUp(self) -> None:
        super().setUp()
        # Python's own file under another name is a program that embeds Python.
        self.machine.prefix("~/editor")
        place(python(), self.machine.at(_EDITOR))
        self.machine.wheel(f"~/active/{SITE}", "13.0").env(VIRTUAL_ENV="~/active")

    def _pick(self, command: str = _EDITOR, *options: str, before: str = "") -> str:
        return described(self.machine, Python(command, options, before=before).ask(self.machine, "anycuda"))

    def test_other_prefix(self) -> None:
        self.machine.wheel(f"~/editor/{SITE}", "12.4")
        self.assertEqual(self._pick(), "12.4 wheel ~/editor")

    def test_of_a_virtual_environment(self) -> None:
        machine = self.machine
        machine.wheel(f"~/editor/{SITE}", "12.4").wheel(f"~/venv/{SITE}", "12.9").link("~/venv/bin/python", _EDITOR)
        machine.file("~/venv/pyvenv.cfg", f"home = {machine.at('~/editor/bin')}\nversion = 3.11.2\n")
        self.assertEqual(self._pick("~/venv/bin/python"), "12.9 wheel ~/venv")

    def test_with_paths_from_its_variables_and_options(self) -> None:
        machine = self.machine
        machine.wheel("~/libs", "12.6").wheel(f"~/.local/{SITE}", "12.8").env(PYTHONPATH="~/libs")
        self.assertEqual(self._pick(), "12.6 wheel ~/libs")
        self.assertEqual(self._pick(_EDITOR, before="import os; del os.environ['PYTHONPATH']"), "12.6 wheel ~/libs")
        machine.variables.pop("PYTHONPATH")
        self.assertEqual(self._pick(), "12.8 wheel ~/.local")
        self.assertEqual(self._pick(_EDITOR, "-s"), "13.0 wheel ~/active")

    def test_without_packages_the_activated_environment_is_used(self) -> None:
        self.assertEqual(self._pick(), "13.0 wheel ~/active")

    def test_goes_before_library_path(self) -> None:
        self.machine.runtime("/opt/library-path", "12.8").env(LD_LIBRARY_PATH="/opt/library-path")
        self.assertEqual(self._pick(), "12.8 /opt/library-path")
        self.machine.wheel(f"~/editor/{SITE}", "12.4")
        self.assertEqual(self._pick(), "12.4 wheel ~/editor")

    def test_counts_once_it_is_started(self) -> None:
        machine = self.machine
        machine.wheel(f"~/editor/{SITE}", "12.4").wheel(f"/opt/tool/{SITE}", "12.6")
        machine.runtime("/opt/library-path", "12.8").env(LD_LIBRARY_PATH="/opt/library-path")
        editor = Program("/opt/tool/bin/editor")
        machine.variables["LD_PRELOAD"] = str(compiled("fake_python.c", "-shared", "-fPIC"))
        self.assertEqual(described(machine, editor.ask(machine, "anycuda")), "12.8 /opt/library-path")
        machine.env(FAKE_PYTHON_PREFIX="~/editor")
        self.assertEqual(described(machine, editor.ask(machine, "anycuda")), "12.4 wheel ~/editor")


if __name__ == "__main__":
    unittest.main()
