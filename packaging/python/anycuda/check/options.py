# SPDX-License-Identifier: Apache-2.0
"""The options of the command line, and what they ask: releases, drivers and GPUs."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..analysis import gpus
from ..failure import Failure
from ..kind import Kind
from ..matrix.data import Matrix, major_of
from ..matrix.selection import Selection, values
from . import driver_rule, releases
from .cells import FAILS, Asked, CodeFailure
from .here import Here
from .input_verdict import VerdictKind

ALLOWED: tuple[Kind, ...] = (*FAILS, VerdictKind.TIED, *CodeFailure)
# CUDA 11.7 and its driver; --runtime 11.7,515 checks them.
_NOT_BY_DEFAULT = ("11.7", "515")
_NO_RELEASE = ("",)  # the selection of nothing


@dataclass(frozen=True)
class Options:
    """The options as given; `question` checks and converts them."""

    files: tuple[Path, ...]
    runtimes: tuple[str, ...]
    gpus: tuple[str, ...]
    drivers: tuple[str, ...]
    libraries: tuple[str, ...]
    allowed: tuple[str, ...]
    ignored: tuple[str, ...]
    built_for: str
    here: bool
    python: str
    every_function: bool
    json: bool


def from_arguments(arguments: argparse.Namespace) -> Options:
    return Options(tuple(arguments.files), _values(arguments.runtime), _values(arguments.gpu),
                   _values(arguments.driver), _values(arguments.library), _values(arguments.allow),
                   _values(arguments.ignore), arguments.built_for, arguments.here, arguments.python, arguments.all,
                   arguments.json)


def _values(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(values(texts))


def question(options: Options, matrix: Matrix, machine: Here | None) -> Asked:
    """`machine`: this machine, with --here."""
    _check_names(options, matrix)
    allowed = tuple(map(_allowed, options.allowed))
    architectures, branches = tuple(map(_gpu, options.gpus)), tuple(map(_branch, options.drivers))
    runtimes: Sequence[str] = options.runtimes
    if machine:
        runtimes = [*machine.releases, *_nearest((machine.branch,), matrix)] or _NO_RELEASE
    elif architectures or branches:
        runtimes = [*runtimes, *_nearest(branches, matrix)] or _NO_RELEASE
    own = dict.fromkeys(release for library in matrix.libraries.values() if library.own_releases
                        for release in _selected(library.runtimes, runtimes))
    asked = Asked(_selected(releases.every_release(matrix), runtimes),
                  _selected(releases.every_driver(matrix), runtimes), options.libraries, options.built_for, allowed,
                  options.ignored, tuple(own), architectures, branches, options.runtimes, machine is not None)
    if not (asked.releases and asked.all_named_drivers):
        return asked
    return replace(asked, forward_compat=driver_rule.is_declared(os.environ.get(driver_rule.VARIABLE, "")))


def _check_names(options: Options, matrix: Matrix) -> None:
    """Raises Failure for an unknown library, release or major."""
    without_runs = {name: library._replace(runs=[]) for name, library in matrix.libraries.items()}
    Selection(options.libraries, runtimes=options.runtimes).apply(matrix._replace(libraries=without_runs))
    majors = sorted({caller for library in matrix.libraries.values() for caller in library.callers if caller.isdigit()})
    if options.built_for and options.built_for not in majors:
        raise Failure(f"--built-for {options.built_for} is not a known CUDA major: use one of {', '.join(majors)}")


def _selected(names: Sequence[str], runtimes: Sequence[str]) -> tuple[str, ...]:
    """The releases among `names` that `runtimes` names, by release or major; by default all but the oldest."""
    if not runtimes:
        return tuple(name for name in names if name not in _NOT_BY_DEFAULT)
    return tuple(name for name in names if {name, major_of(name)} & set(runtimes))


def _allowed(text: str) -> Kind:
    kind = next((kind for kind in ALLOWED if kind == text), None)
    if kind is None:
        raise Failure(f"--allow {text} is not a known kind: use one of {', '.join(ALLOWED)}")
    return kind


def _gpu(text: str) -> int:
    """The number 90 from sm_90, 90 or 9.0."""
    match = re.fullmatch(r"(?:sm_)?(?:([1-9]\d{1,2})|([1-9]\d?)\.(\d))", text)
    if match is None:
        raise Failure(f"--gpu {text} is not a GPU architecture: use the form sm_90 or 9.0 (nvidia-smi "
                      "--query-gpu=compute_cap prints it)")
    number, architectures = int(match[1] or match[2] + match[3]), gpus.facts().gpus
    if number not in architectures:
        raise Failure(f"--gpu {text}: this version of anycuda does not know sm_{number}, only "
                      f"{', '.join(gpu.name for gpu in architectures.values())}; try a newer anycuda")
    return number


def _branch(text: str) -> int:
    """The branch 550 from 550 or 550.54.15."""
    match = re.fullmatch(r"([1-9]\d{2,3})(\.\d+)*", text)
    if match is None:
        raise Failure(f"--driver {text} is not a driver version: use a branch or version, such as 550 or 550.54.15 "
                      "(nvidia-smi prints it)")
    return int(match[1])


def _nearest(branches: tuple[int, ...], matrix: Matrix) -> list[str]:
    """For each branch, the newest one in the matrix that is not newer."""
    drivers = list(map(int, releases.every_driver(matrix)))
    older = [[driver for driver in drivers if driver <= branch] for branch in branches]
    return [str(group[-1]) for group in older if group]
