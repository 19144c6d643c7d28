# SPDX-License-Identifier: Apache-2.0
"""A set-up: how its machine is built, which process starts there, and what it is expected to get, with the reason."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Callable

from machine import Machine
from process import Program, Python

# Reasons that many set-ups share: the page has them once.
NO_MAJOR, DRIVER, CONDA_PREFIX, CONDA_RPATH, SITE_ONLY, LATE_VARIABLES = "[1]", "[2]", "[3]", "[4]", "[5]", "[6]"
NOTES = {
    NO_MAJOR: "The dynamic linker does not know environments. It searches for one SONAME, which belongs to one major, "
              "in the run paths, LD_LIBRARY_PATH, ld.so.cache and the system's folders. Each major may lead to another "
              "folder, or to none.",
    DRIVER: "cuda-pathfinder prefers CUDA 13 to 12, whatever the driver supports.",
    CONDA_PREFIX: "cuda-pathfinder detects a conda environment only by CONDA_PREFIX, and uses this environment in "
                  "every Python.",
    CONDA_RPATH: "conda's interpreter has a DT_RPATH to PREFIX/lib, which the dynamic linker follows.",
    SITE_ONLY: "cuda-pathfinder searches the site-packages of the interpreter, but not the other entries of sys.path.",
    LATE_VARIABLES: "cuda-pathfinder asks the dynamic linker before it reads CUDA_PATH and CUDA_HOME, and reads no "
                    "other toolkit variable.",
}


@dataclass
class Setup:
    name: str
    made: str
    build: Callable[[Machine], Python | Program]
    anycuda: str
    linker: str
    pathfinder: str
    why: str
    differs: str
    group: str

    def picks(self) -> dict[str, str]:
        machine = Machine()
        try:
            process = self.build(machine)
            return {asked: described(machine, process.ask(machine, asked))
                    for asked in ("anycuda", "linker", "pathfinder")}
        finally:
            machine.close()


class Group:
    """The set-ups of one section of the page."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.setups: list[Setup] = []

    def __call__(self, name: str, made: str, anycuda: str, linker: str, pathfinder: str, why: str, differs: str = ""):
        def add(build):
            self.setups.append(Setup(name, made, build, anycuda, linker, pathfinder, why, differs, self.title))
            return build
        return add


def described(machine: Machine, files: list[str] | None) -> str:
    """A toolkit: "12.9 /usr/local/cuda-12.9"; a wheel: "12.9 wheel ~/app/.venv"; several: a semicolon between."""
    if files is None:
        return "-"
    picks = []
    for file in files:
        folder = machine.named(file).rsplit("/", 1)[0]
        wheel = re.fullmatch(r"(.+?)(/lib/python3[.\d]*/(site|dist)-packages)?/nvidia/[^/]+/lib", folder)
        folder = folder.removesuffix("/targets/x86_64-linux/lib")
        picks.append(f"{machine.release_of(file)} " + (f"wheel {wheel[1]}" if wheel else folder))
    return "; ".join(sorted(picks)) or "none"
