# SPDX-License-Identifier: Apache-2.0
"""The nearest environment wins: each of them has a CUDA, the farther the newer; the nearest is taken away, until none
is left."""

from __future__ import annotations

import shutil
import unittest

from case import MachineCase
from machine import SITE
from process import Program, Python
from row import described

_VARIABLES = ("CUDA_PATH", "CUDA_HOME", "CUDA_ROOT", "CUDATOOLKIT_HOME", "CUDAToolkit_ROOT", "NVHPC_CUDA_HOME")
_HPC_SDK = "/opt/nvidia/hpc_sdk/Linux_x86_64/25.9/cuda/13.5"
_APP = "~/host/lib/python3.11/site-packages/app/bin/app"


class Order(MachineCase):
    def _toolkits(self) -> list[str]:
        for release, variable in zip(("12.8", "12.9"), _VARIABLES[::3]):
            self.machine.toolkit(f"/opt/{variable}", release)
        for variable in _VARIABLES:
            if not self.machine.at(f"/opt/{variable}").exists():
                self.machine.toolkit(f"/opt/{variable}", "13.0")
            self.machine.env(**{variable: f"/opt/{variable}"})
        self.machine.toolkit(_HPC_SDK, "13.5")
        return [*(f"/opt/{variable}" for variable in _VARIABLES), _HPC_SDK]

    def _check(self, process: Program | Python, folders: list[str]) -> None:
        """`folders` are those that hold a runtime, the nearest first."""
        for folder in folders:
            with self.subTest(folder):
                picked = described(self.machine, process.ask(self.machine, "anycuda"))
                self.assertEqual(picked.split(" ", 1)[1].removeprefix("wheel ").removesuffix(f"/{SITE}"),
                                 folder.removesuffix(f"/{SITE}"))
            shutil.rmtree(self.machine.at(folder) / "nvidia", ignore_errors=True)
            for file in self.machine.at(folder).rglob("libcudart.so*"):
                file.unlink()
            self.machine.variables.pop("ANYCUDA_CUDART", None)
        self.assertEqual(described(self.machine, process.ask(self.machine, "anycuda")), "none")

    def _program(self, **run_path: str) -> Program:
        machine = self.machine
        machine.runtime("/opt/named", "12.4").env(ANYCUDA_CUDART="/opt/named/libcudart.so.12")
        machine.runtime("/opt/run-path", "12.4").runtime("/opt/library-path", "12.4")
        machine.wheel(f"~/host/{SITE}", "12.4").wheel("~/libs", "12.6")
        machine.wheel(f"~/venv/{SITE}", "12.6").runtime("/opt/conda/lib", "12.8")
        machine.env(LD_LIBRARY_PATH="/opt/library-path", PYTHONPATH="~/libs", VIRTUAL_ENV="~/venv",
                    CONDA_PREFIX="/opt/conda")
        return Program(_APP, **run_path)

    def test_of_a_program_with_rpath(self) -> None:
        process = self._program(rpath="/opt/run-path")
        self._check(process, ["/opt/named", "/opt/run-path", "/opt/library-path", f"~/host/{SITE}", "~/libs",
                              f"~/venv/{SITE}", "/opt/conda/lib", *self._toolkits()])

    def test_of_a_program_with_runpath(self) -> None:
        process = self._program(runpath="/opt/run-path")
        self._check(process, ["/opt/named", "/opt/library-path", "/opt/run-path", f"~/host/{SITE}", "~/libs",
                              f"~/venv/{SITE}", "/opt/conda/lib", *self._toolkits()])

    def test_of_a_python_in_an_open_environment_of_condas(self) -> None:
        machine = self.machine
        command = machine.venv("~/app/.venv", "--system-site-packages", base=machine.conda("/opt/conda", "12.8"))
        machine.runtime("/opt/named", "12.4").env(ANYCUDA_CUDART="/opt/named/libcudart.so.12")
        machine.wheel("~/libs", "12.4").wheel(f"~/app/.venv/{SITE}", "12.4").wheel("~/editable", "12.4")
        machine.file(f"~/app/.venv/{SITE}/editable.pth", f"{machine.at('~/editable')}\n")
        machine.wheel(f"~/.local/{SITE}", "12.6").wheel(f"/opt/conda/{SITE}", "12.6")
        machine.runtime("/opt/library-path", "12.8")
        machine.wheel(f"~/other/{SITE}", "13.5").runtime("/opt/other/lib", "13.5")  # never
        machine.env(LD_LIBRARY_PATH="/opt/library-path", PYTHONPATH="~/libs", VIRTUAL_ENV="~/other",
                    CONDA_PREFIX="/opt/other")
        self._check(Python(command), ["/opt/named", "~/libs", f"~/app/.venv/{SITE}", "~/editable", f"~/.local/{SITE}",
                                      f"/opt/conda/{SITE}", "/opt/conda/lib", "/opt/library-path", *self._toolkits()])

    def test_begins_with_what_is_loaded(self) -> None:
        machine = self.machine
        command = machine.venv("~/app/.venv")
        machine.wheel(f"~/app/.venv/{SITE}", "12.9").runtime("/opt/loaded", "12.4")
        file = machine.at("/opt/loaded/libcudart.so.12")
        process = Python(command, before=f"import ctypes; ctypes.CDLL({str(file)!r})")
        self.assertEqual(described(machine, process.ask(machine, "anycuda")), "12.4 /opt/loaded")


if __name__ == "__main__":
    unittest.main()
