# SPDX-License-Identifier: Apache-2.0
"""Hints on packages that are incomplete, or do not go together: pure functions of the findings."""

from __future__ import annotations

import re

from . import installation, majors, packages
from .environment import Environment
from .file_packages import Package
from .findings import Findings, Library
from .hint import Hint, hint
from .hint_table import LIBRARIES
from .machine import Machine


def gone(findings: Findings, environment: Environment) -> list[Hint]:
    found = []
    # An incomplete library has a better hint.
    incomplete = {wheel.name for library in findings.libraries for one in library.candidates if one.lacking
                  for wheel in environment.wheels(one.path)}
    for one in (one for one in findings.gone if one.name not in incomplete):
        found.append(hint(LIBRARIES, "wheel_gone", f"{one.path} does not exist.", count=one.count,
                          are="is" if one.count == 1 else "are", package=f"{one.name} {one.version}"))
        found[-1].commands = [installation.wheel_again(one, one.path, environment)]
    return found


def incomplete(library: Library, machine: Machine, environment: Environment) -> list[Hint]:
    return [hint(LIBRARIES, "incomplete", f"{one.path} is incomplete.",
                 {"repair": installation.repair(library, one, machine, environment)}, missing=one.lacking)
            for one in library.candidates if one.lacking and one.state == "usable"]


def two_packages(library: Library, environment: Environment) -> list[Hint]:
    """Hints on files in use that two wheels contain: the wheel that was installed last has replaced the other's."""
    found = []
    for path in (one.path for one in library.candidates if library.taken_by(one)):
        wheels = sorted(environment.wheels(path), key=_cuda_of_wheel)
        if len(wheels) < 2:
            continue
        names = " and ".join(f"{one.name} {one.version}" for one in wheels)
        actual = " or ".join(f"{one.name} {one.version}" for one in wheels if one.intact)
        *others, kept = wheels
        commands = [f"# in the environment of {kept.folder}: uninstall {', '.join(one.name for one in others)}, then "
                    f"install {kept.name}=={kept.version} again"]
        if environment.has(path) and environment.manager in packages.WITH_WHEELS:
            where = environment.installer
            commands = [*(packages.uninstall_wheel(where, one.name) for one in others),
                        packages.repair_wheel(where, kept.name, kept.version)]
        one = hint(LIBRARIES, "two_packages", f"{path} is in two packages: {names}.",
                   actual=f"that of {actual}" if actual else "that of neither", others=", ".join(
                       one.name for one in others), kept=f"{kept.name} {kept.version}")
        one.commands = commands
        found.append(one)
    return found


def two_majors(findings: Findings, environment: Environment) -> list[Hint]:
    """A hint if the environment has libraries of several CUDA majors, and no major has all of them."""
    if not findings.mixed:
        return []
    there, product = majors.of_environment(findings, environment), findings.products
    newest = int(findings.driver.cuda.split(".")[0]) if findings.driver.cuda else max(there)
    lacking = {major: sorted(set().union(*there.values()) - names) for major, names in there.items()}
    best = max(there, key=lambda major: (_exist(lacking[major], major), major <= newest, len(there[major]), major))
    found = hint(LIBRARIES, "two_majors", f"There are {findings.mixed}.", best=best,
                 missing=", ".join(product[one] for one in lacking[best]))
    if _exist(lacking[best], best):
        found.commands = [packages.library(one, environment.installer, "", best) for one in lacking[best]]
    return [found]


def _exist(libraries: list[str], major: int) -> bool:
    """Does this CUDA have the libraries? CUDA 11 has no nvJitLink."""
    return not any(packages.first_major_beyond(name, str(major)) for name in libraries)


def _cuda_of_wheel(wheel: Package) -> int:
    """12 of nvidia-nccl-cu12. From CUDA 13 on, the names of most wheels have no number."""
    number = re.search(r"-cu(\d+)\Z", wheel.name)
    return int(number[1]) if number else 13
