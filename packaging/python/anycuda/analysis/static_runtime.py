# SPDX-License-Identifier: Apache-2.0
"""The release of a CUDA runtime that is linked into a file, and the oldest driver that it works with. Pure.

A runtime has its error texts and the forms of the paths that it reads as strings, and each release has added some. They
are in the file however it was linked: stripped, with --gc-sections, or for a single function. A runtime has the strings
of its own release and of every earlier one, so a program that has a later one of them for itself does not mislead.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .ties import Files


@dataclass(frozen=True)
class StaticRuntime:
    """`release`: "" if it is older than 11.8. `driver`: the oldest that serves it; "" if that is not known."""

    file: str
    release: str
    driver: str


def of(files: Files, drivers: Mapping[str, str], old: Mapping[str, str]) -> tuple[StaticRuntime, ...]:
    """`old`: file -> the driver for a runtime before 11.8, where the device code of the file tells it."""
    return tuple(StaticRuntime(name, use.runtime_release, oldest_driver(use.runtime_release, drivers)
                               if use.runtime_release or name not in old else old[name])
                 for name, use in files if use.static_runtime)


def drivers(found: Iterable[StaticRuntime]) -> dict[str, int]:
    """file -> the oldest branch for its runtime, where that is known"""
    return {one.file: int(one.driver) for one in found if one.driver}


def release(strings: Collection[str], marks: Mapping[str, str]) -> str:
    """`strings`: those of `marks` (release -> the string that came with it, the oldest first) that are in the file. The
    newest release of which nothing is missing; "" if it is older than the first."""
    found = ""
    for name, mark in marks.items():
        if mark not in strings:
            break
        found = name
    return found


def oldest_driver(release_: str, drivers: Mapping[str, str]) -> str:
    """`drivers`: branch -> the CUDA release that came with it, the oldest first. A runtime works with every driver of
    its major (minor-version compatibility), one that is older than 11.8 with those of CUDA 11; "" where that major is
    not known."""
    major = release_.partition(".")[0] or "11"
    return next((branch for branch, cuda in drivers.items() if cuda.partition(".")[0] == major), "")
