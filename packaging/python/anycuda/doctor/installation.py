# SPDX-License-Identifier: Apache-2.0
"""The commands that install a library, or install it again, into the environment that lacks it: pure functions."""

from __future__ import annotations

import os
import re

from ..analysis.libraries import table
from . import packages
from .environment import Environment
from .file_packages import Package
from .findings import Answer, Candidate, Driver, GoneWheel, Library
from .hint import sentence
from .machine import Machine
from .verdict import RUNTIME


def remedy(library: Library, answers: list[Answer], driver: Driver, machine: Machine, environment: Environment) -> str:
    text = "; ".join(dict.fromkeys(answer.hint for answer in answers))
    if not environment.manager.has_conda_packages:
        # The loader's message names the newest wheel, even if the driver is too old for it.
        best = command(library, driver, machine, environment).split("  #")[0]
        if best.startswith("#"):  # a page to read
            text = re.sub(r"pip install [\w-]+, or ", "", text)
        elif best:
            text = re.sub(r"pip install [\w-]+", lambda _: best, text)
    elif library.install_hint:
        text = text.replace(library.install_hint, f"install {the(library)} into the {environment.manager} "
                                                  f"environment {environment.prefix}")
    return sentence(text)


def the(library: Library) -> str:
    return f"the {library.short}" if library.name == RUNTIME else library.short


def commands(library: Library, driver: Driver, answers: list[Answer], machine: Machine,
             environment: Environment) -> list[str]:
    """The commands; empty if the installed library is refused for a reason that installing another one does not
    change."""
    if not packages.is_installable(library.name) or not any("install" in answer.hint for answer in answers):
        return []
    best = command(library, driver, machine, environment)
    return [best] if best else []


def command(library: Library, driver: Driver, machine: Machine, environment: Environment) -> str:
    newest = max((int(caller) for caller in library.answers if caller.isdigit()),
                 default=packages.newest_of_own_releases(library.name))
    beyond = packages.first_major_beyond(library.name, driver.cuda)
    if not packages.is_installable(library.name) or not newest or beyond:
        return ""
    return packages.library(library.name, environment.installer, driver.cuda, newest, machine.distribution)


def repair(library: Library, candidate: Candidate, machine: Machine, environment: Environment) -> str:
    """The command of the package manager that installed the file: the environment's, or the distribution's. Of a wheel
    it installs the same version, since a newer one may not fit the others."""
    wheels = environment.wheels(candidate.path)
    if any(wheel.intact for wheel in wheels) and not candidate.lacking:
        return ""
    if wheels:
        return wheel_again(wheels[0], candidate.path, environment)
    major = _cuda_of(library, candidate)
    in_conda = environment.has(candidate.path) and environment.manager.has_conda_packages
    if in_conda and major and packages.is_installable(library.name):
        again = packages.repair(library.name, environment.installer, major)
        if again:
            return again
    return packages.reinstall(machine.distribution, candidate.path, environment.owner(candidate.path))


def wheel_again(wheel: Package | GoneWheel, path: str, environment: Environment) -> str:
    """`path`: a file of the wheel."""
    if environment.has(path) and environment.manager.has_wheels:
        return packages.repair_wheel(environment.installer, wheel.name, wheel.version)
    return f"# in the environment of {wheel.folder}: install {wheel.name}=={wheel.version} again"


def _cuda_of(library: Library, candidate: Candidate) -> int:
    """The CUDA major of the file; 0: unknown. libcufft.so.11 is of CUDA 12, libnccl.so.2 of any CUDA."""
    release = re.match(r"(\d+)(\.\d+)*$", candidate.version)
    number = re.search(r"\.so\.(\d+)", os.path.basename(candidate.path))
    if release or not number:
        return int(release[1]) if release else 0
    named = table().libraries[library.name]
    return 0 if named.own_releases else int(named.of_file(number[1]) or 0)
