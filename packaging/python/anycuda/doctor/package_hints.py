# SPDX-License-Identifier: Apache-2.0
"""Hints on packages that are incomplete, or do not go together: pure functions of the findings."""

from __future__ import annotations

import re

from . import installation, majors, packages
from .environment import Environment
from .file_packages import Package
from .findings import Findings, Library
from .hint import Hint, hint
from .machine import Machine
from .outcomes import FileState
from .situation import Situation


def gone(findings: Findings, environment: Environment) -> list[Hint]:
    # An incomplete library has a better hint.
    incomplete = {wheel.name for library in findings.libraries for candidate in library.candidates if candidate.lacking
                  for wheel in environment.wheels(candidate.path)}
    return [hint(Situation.WHEEL_GONE, f"{wheel.path} does not exist.", count=wheel.count,
                 are="is" if wheel.count == 1 else "are", package=f"{wheel.name} {wheel.version}"
                 ).with_commands(installation.wheel_again(wheel, wheel.path, environment))
            for wheel in findings.gone if wheel.name not in incomplete]


def incomplete(library: Library, machine: Machine, environment: Environment) -> list[Hint]:
    return [hint(Situation.INCOMPLETE, f"{candidate.path} is incomplete.",
                 {"repair": installation.repair(library, candidate, machine, environment)}, missing=candidate.lacking)
            for candidate in library.candidates if candidate.lacking and candidate.state is FileState.USABLE]


def two_packages(library: Library, environment: Environment) -> list[Hint]:
    """Hints on files in use that two wheels contain: the wheel that was installed last has replaced the other's."""
    return [_two_packages(candidate.path, wheels, environment) for candidate in library.candidates
            if library.taken_by(candidate)
            for wheels in [sorted(environment.wheels(candidate.path), key=_cuda_of_wheel)] if len(wheels) > 1]


def _two_packages(path: str, wheels: list[Package], environment: Environment) -> Hint:
    names = " and ".join(f"{wheel.name} {wheel.version}" for wheel in wheels)
    actual = " or ".join(f"{wheel.name} {wheel.version}" for wheel in wheels if wheel.intact)
    *others, kept = wheels
    other_names = ", ".join(wheel.name for wheel in others)
    commands = [f"# in the environment of {kept.folder}: uninstall {other_names}, then install "
                f"{kept.name}=={kept.version} again"]
    if environment.has(path) and environment.manager.has_wheels:
        where = environment.installer
        commands = [*(packages.uninstall_wheel(where, wheel.name) for wheel in others),
                    packages.repair_wheel(where, kept.name, kept.version)]
    return hint(Situation.TWO_PACKAGES, f"{path} is in two packages: {names}.",
                actual=f"that of {actual}" if actual else "that of neither", others=other_names,
                kept=f"{kept.name} {kept.version}").with_commands(*commands)


def two_majors(findings: Findings, environment: Environment) -> list[Hint]:
    """A hint if the environment has libraries of several CUDA majors, and no major has all of them."""
    if not findings.mixed:
        return []
    by_major, product = majors.of_environment(findings, environment), findings.products
    newest = int(findings.driver.cuda.split(".")[0]) if findings.driver.cuda else max(by_major)
    lacking = {major: sorted(set().union(*by_major.values()) - names) for major, names in by_major.items()}
    best = max(by_major, key=lambda major: (_exist(lacking[major], major), major <= newest, len(by_major[major]),
                                            major))
    commands = [packages.library(name, environment.installer, "", best) for name in lacking[best]
                ] if _exist(lacking[best], best) else []
    return [hint(Situation.TWO_MAJORS, f"There are {findings.mixed}.", best=best,
                 missing=", ".join(product[name] for name in lacking[best])).with_commands(*commands)]


def _exist(libraries: list[str], major: int) -> bool:
    """Does this CUDA have the libraries? CUDA 11 has no nvJitLink."""
    return not any(packages.first_major_beyond(name, str(major)) for name in libraries)


def _cuda_of_wheel(wheel: Package) -> int:
    """12 of nvidia-nccl-cu12. From CUDA 13 on, the names of most wheels have no number."""
    number = re.search(r"-cu(\d+)\Z", wheel.name)
    return int(number[1]) if number else 13
