# SPDX-License-Identifier: Apache-2.0
"""The environment that a program belongs to, and its package manager: pure functions of the probes'
answers (compat/doctor/folders.cc) and of the variables."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from .examined import Python
from .file_packages import Package
from .machine import TOOLKIT_VARIABLES
from .packages import Installer, Manager
from .questions import FOLDERS, WHEELS, Outcome
from .records import RecordKind
from .variables import Fault

# Variables that name folders with libraries, or prefixes and toolkits that have such.
_PATHS = ("LD_LIBRARY_PATH", "PYTHONPATH")
_PREFIXES = ("VIRTUAL_ENV", "CONDA_PREFIX", *TOOLKIT_VARIABLES)
_TOOLS = (Manager.MICROMAMBA, Manager.MAMBA, Manager.CONDA)
# pipx install anycuda, uv tool install anycuda, and uvx anycuda, whose environments are in uv's cache.
_OF_COMMAND = re.compile(r"/pipx/venvs/anycuda/?\Z|/uv/tools/anycuda/?\Z|/uv/(archive|environments)-v\d+/")


@dataclass
class Denied:
    path: str  # a possible place of CUDA
    blocker: str  # the folder on its path that this user may not enter


@dataclass
class Environment:
    prefix: str = ""  # "" for a program outside environments
    real: str = ""  # the prefix with links resolved
    manager: Manager = Manager.PIP
    denied: list[Denied] = field(default_factory=list)
    links: dict[str, str] = field(default_factory=dict)  # folder -> the same with links resolved
    faults: list[Fault] = field(default_factory=list)  # of the variables
    packages: dict[str, tuple[Package, ...]] = field(default_factory=dict)  # file -> the packages that contain it
    python: str = ""  # its interpreter

    @property
    def installer(self) -> Installer:
        return Installer(self.manager, self.prefix, self.python or f"{self.prefix}/bin/python")

    @property
    def is_of_command(self) -> bool:
        """Does only the command anycuda use it?"""
        return _OF_COMMAND.search(self.prefix) is not None

    def folder(self, path: str) -> str:
        """The same text for all paths of a folder."""
        return os.path.normpath(self.links.get(path, path))

    def wheels(self, path: str) -> list[Package]:
        return [package for package in self.packages.get(path, ()) if package.manager is Manager.PIP]

    def owner(self, path: str) -> str:
        """The distribution's package that contains the file, or ""."""
        return next((package.name for package in self.packages.get(path, ())
                     if package.manager is Manager.SYSTEM), "")

    def has(self, path: str) -> bool:
        return any(prefix and path.startswith(prefix.rstrip("/") + "/") for prefix in (self.prefix, self.real))


def prefix_of_program(native: bool, variables: Mapping[str, str], python: Python) -> str:
    """The prefix: sys.prefix for Python, the activated environment for another program."""
    if not native:
        return python.prefix
    return variables.get("VIRTUAL_ENV") or variables.get("CONDA_PREFIX") or ""


def question_of(native: bool, variables: Mapping[str, str], python: Python) -> tuple[str, ...]:
    """The question about folders: the prefix, then each folder that may contain libraries."""
    prefix = prefix_of_program(native, variables, python)
    folders = [prefix]
    folders += [] if native else python.path
    folders += [part for name in _PATHS for part in re.split("[:;]", variables.get(name, ""))]
    folders += [variables.get(name, "") for name in _PREFIXES]
    absolute = dict.fromkeys(folder for folder in folders if folder.startswith("/"))
    return FOLDERS, prefix, *(folder for folder in absolute if "\0" not in folder)


def question_of_wheels(native: bool, python: Python) -> tuple[str, ...]:
    """The question about wheels: the site-packages folders of the examined Python."""
    return WHEELS, *(dict.fromkeys(path for path in python.path if path.startswith("/") and "\0" not in path)
                     if not native else ())


def environment_of(outcome: Outcome, native: bool, python: Python) -> Environment:
    record = outcome.first(RecordKind.ENVIRONMENT)
    prefix, real = record.text("prefix"), record.text("real")
    denied = dict.fromkeys((record.text("path"), record.text("blocker"))
                           for record in outcome.records_of(RecordKind.DENIED))
    manager = manager_of(prefix, record.flag("conda"), record.flag("pixi"), record.text("history"),
                         record.text("pyvenv"))
    return Environment(prefix, real, manager, [Denied(*paths) for paths in denied],
                       {folder.text("path"): folder.text("real") for folder in outcome.records_of(RecordKind.REAL)},
                       python=f"{prefix}/bin/python" if native else python.executable)


def manager_of(prefix: str, conda: bool, pixi: bool, history: str, pyvenv: str = "") -> Manager:
    """The package manager of a prefix. A conda environment has conda-meta/; pixi leaves conda-meta/pixi there, and the
    others write the command that created it into conda-meta/history ("# cmd: /opt/conda/bin/mamba create ..."). uv
    writes its version into pyvenv.cfg, and its environments have no pip."""
    if not prefix:
        return Manager.SYSTEM
    if not conda:
        is_of_uv = re.search(r"^uv *=", pyvenv, re.M)
        return Manager.PIPX if "/pipx/venvs/" in prefix else Manager.UV if is_of_uv else Manager.PIP
    if pixi or "/.pixi/" in f"{prefix}/":
        return Manager.PIXI
    command = re.search(r"^# cmd: (\S+)", history, re.M)
    program = os.path.basename(command[1]) if command else ""
    return next((tool for tool in _TOOLS if program.startswith(tool)), Manager.CONDA)
