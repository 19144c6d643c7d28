# SPDX-License-Identifier: Apache-2.0
"""Releases as the report spells them: CUDA 11.8-13.5 and NCCL 2.16-2.32. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from ..matrix import fold
from ..matrix.data import Library, Matrix, Run
from .cells import Asked


def every_release(matrix: Matrix, series: str = "CUDA") -> list[str]:
    """The releases of CUDA, of the driver, or of a library with its own ones, oldest first."""
    return list(dict.fromkeys(release for library in matrix.libraries.values() if library.releases_of == series
                              for release in library.runtimes))


def every_driver(matrix: Matrix) -> list[str]:
    """The matrix lists the newest cuda.h among the drivers; it is not a driver."""
    return [driver for driver in every_release(matrix, "driver") if "." not in driver]


def newest(library: Library) -> str:
    return [release for release in library.runtimes if not (library.is_driver and "." in release)][-1]


def describe_runs(runs: Iterable[Run], asked: Asked, matrix: Matrix) -> str:
    """CUDA 11.8-13.5 and NCCL 2.16-2.32 and driver 520-615"""
    parts: dict[str, str] = {}
    for library in matrix.libraries.values():
        series = library.releases_of
        covered = {release for run in runs if matrix.libraries[run.library].releases_of == series
                   for release in run.runtimes}
        text = _spelt(tuple(release for release in asked.releases_of(library) if release in covered), matrix, library)
        if text:
            parts.setdefault(series, text.replace(f"{library.name}-", ""))
    return " and ".join(f"{series} {text}" for series, text in parts.items())


def describe_cuda(releases: tuple[str, ...], matrix: Matrix) -> str:
    """11.8-12.9, 13.5"""
    library = next(library for library in matrix.libraries.values() if library.releases_of == "CUDA")
    return _spelt(releases, matrix, library)


def _spelt(releases: tuple[str, ...], matrix: Matrix, library: Library) -> str:
    every = every_release(matrix, library.releases_of)
    return fold.ranges(releases, library._replace(runtimes=every)).replace(",", ", ")
