# SPDX-License-Identifier: Apache-2.0
"""The CUDA majors of the libraries in one environment: pure functions of the findings."""

from __future__ import annotations

from collections.abc import Mapping

from . import packages
from .environment import Environment
from .findings import Findings
from .outcomes import FileState

Majors = Mapping[int, frozenset[str]]  # major -> its libraries


def of_environment(findings: Findings, environment: Environment) -> Majors:
    """The usable libraries of the CUDA Toolkit in the environment. Releases of NCCL and the like are of any CUDA."""
    names: dict[int, set[str]] = {}
    for library in findings.libraries:
        if library.is_driver or not packages.is_installable(library.name) or packages.has_own_releases(library.name):
            continue
        for candidate in library.candidates:
            if candidate.state is FileState.USABLE and candidate.version and environment.has(candidate.path):
                names.setdefault(int(candidate.version.split(".")[0]), set()).add(library.name)
    return {major: frozenset(names[major]) for major in sorted(names)}


def complete(majors: Majors) -> bool:
    """Does a major have each library that the environment has?"""
    return frozenset().union(*majors.values()) in majors.values()


def describe(majors: Majors, prefix: str, products: Mapping[str, str] | None = None) -> str:
    """several CUDA majors in /venv: 12 (NVRTC) and 13 (CUDA runtime)"""
    parts = [f"{major} ({', '.join(products[name] for name in sorted(names))})" if products else str(major)
             for major, names in majors.items()]
    return f"several CUDA majors in {prefix}: {', '.join(parts[:-1])} and {parts[-1]}"
