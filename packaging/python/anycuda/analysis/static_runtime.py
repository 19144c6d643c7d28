# SPDX-License-Identifier: Apache-2.0
"""The release of a CUDA runtime that is linked into a file, and the oldest driver that it works with. Pure.

A runtime has strings (error texts and forms of paths), and each release adds some. They are in every file with the
runtime: stripped, linked with --gc-sections, or for a single function. A runtime has the strings of its release and of
every earlier one, so a later string that belongs to the program does not mislead.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .ties import Files


@dataclass(frozen=True)
class StaticRuntime:
    """`release`: "" if it is older than 11.8. `driver`: the oldest that works with it; "" if unknown."""

    file: str
    release: str
    driver: str


def find(files: Files, drivers: Mapping[str, str], old: Mapping[str, str]) -> tuple[StaticRuntime, ...]:
    """`old`: file -> the driver for a runtime before 11.8, if the device code of the file tells it."""
    return tuple(StaticRuntime(name, use.runtime_release, oldest_driver(use.runtime_release, drivers)
                               if use.runtime_release or name not in old else old[name])
                 for name, use in files if use.static_runtime)


def drivers(found: Iterable[StaticRuntime]) -> dict[str, int]:
    """file -> the oldest branch for its runtime, if known"""
    return {one.file: int(one.driver) for one in found if one.driver}


def release(strings: Collection[str], marks: Mapping[str, str]) -> str:
    """The newest release whose string and all earlier ones are in the file; "" if the runtime is older than the first.
    `marks`: release -> the string that it added, oldest first. `strings`: those of `marks` in the file."""
    found = ""
    for name, mark in marks.items():
        if mark not in strings:
            break
        found = name
    return found


def oldest_driver(release_: str, drivers: Mapping[str, str]) -> str:
    """The oldest driver for a release. `drivers`: branch -> its CUDA release, oldest first. A runtime works with every
    driver of its major (minor-version compatibility), one older than 11.8 with those of CUDA 11; "" if the major is
    unknown."""
    major = release_.partition(".")[0] or "11"
    return next((branch for branch, cuda in drivers.items() if cuda.partition(".")[0] == major), "")
