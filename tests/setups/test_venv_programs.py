# SPDX-License-Identifier: Apache-2.0
"""A C++ program in the bin of a virtual environment that is not activated gets that environment's CUDA, also if it is
there by a link; in the bin of a conda environment, too."""

from __future__ import annotations

import unittest

from case import MachineCase
from machine import SITE
from process import Program
from row import described

_TOOL = "/opt/tool/bin/tool"
_VENV = "12.9 wheel ~/venv"
_SYSTEM = "13.5 /usr/local/cuda-13.5"


class VenvPrograms(MachineCase):
    def setUp(self) -> None:
        super().setUp()
        self.machine.wheel(f"~/venv/{SITE}", "12.9").local_toolkits("13.5")
        self.machine.file("~/venv/pyvenv.cfg", "home = /usr/bin\n").link("~/venv/bin/tool", _TOOL)

    def _pick(self, path: str, link: str = "", folder: str = "~") -> str:
        return described(self.machine, Program(path, link=link, folder=folder).ask(self.machine, "anycuda"))

    def test_as_a_file(self) -> None:
        self.assertEqual(self._pick("~/venv/bin/app"), _VENV)
        self.assertEqual(self._pick("~/venv/bin/deeper/app"), _SYSTEM)

    def test_by_a_link(self) -> None:
        self.assertEqual(self._pick(_TOOL), _SYSTEM)
        for folder, link in (("~", str(self.machine.at("~/venv/bin/tool"))), ("~", "venv/bin/tool"),
                             ("~/venv/bin", "./tool"), ("~/venv/bin", "../bin//tool")):
            with self.subTest(folder=folder, link=link):
                self.assertEqual(self._pick(_TOOL, link, folder), _VENV)

    def test_without_a_pyvenv_cfg(self) -> None:
        self.machine.at("~/venv/pyvenv.cfg").unlink()
        self.assertEqual(self._pick(_TOOL, "venv/bin/tool"), _SYSTEM)
        self.assertEqual(self._pick("~/venv/bin/app"), _SYSTEM)

    def test_where_others_may_write(self) -> None:
        for path in ("~/venv", "~/venv/pyvenv.cfg", f"~/venv/{SITE}/nvidia"):
            with self.subTest(path):
                before = self.machine.at(path).stat().st_mode
                self.machine.at(path).chmod(0o777)
                self.assertEqual(self._pick(_TOOL, "venv/bin/tool"), _SYSTEM)
                self.assertEqual(self._pick("~/venv/bin/app"), _SYSTEM)
                self.machine.at(path).chmod(before & 0o7777)


class CondaPrograms(MachineCase):
    def setUp(self) -> None:
        super().setUp()
        self.machine.runtime("/opt/conda/lib", "12.9").file("/opt/conda/conda-meta/history").local_toolkits("13.5")

    def _pick(self, path: str = "/opt/conda/bin/app") -> str:
        return described(self.machine, Program(path).ask(self.machine, "anycuda"))

    def test_in_its_bin(self) -> None:
        self.assertEqual(self._pick(), "12.9 /opt/conda/lib")
        self.assertEqual(self._pick("/opt/conda/bin/deeper/app"), _SYSTEM)

    def test_packages_that_pip_installed_there(self) -> None:
        self.machine.wheel(f"/opt/conda/{SITE}", "13.0")
        self.assertEqual(self._pick(), "13.0 wheel /opt/conda")

    def test_without_conda_meta(self) -> None:
        self.machine.at("/opt/conda/conda-meta/history").unlink()
        self.machine.at("/opt/conda/conda-meta").rmdir()
        self.assertEqual(self._pick(), _SYSTEM)

    def test_where_others_may_write(self) -> None:
        for path in ("/opt/conda", "/opt/conda/conda-meta", "/opt/conda/lib"):
            with self.subTest(path):
                self.machine.at(path).chmod(0o777)
                self.assertEqual(self._pick(), _SYSTEM)
                self.machine.at(path).chmod(0o755)


if __name__ == "__main__":
    unittest.main()
