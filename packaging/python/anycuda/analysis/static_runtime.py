# SPDX-License-Identifier: Apache-2.0
"""The CUDA runtimes that are linked into files, and the oldest drivers that they work with. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

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


def drivers(runtimes: Iterable[StaticRuntime]) -> dict[str, int]:
    """file -> the oldest branch for its runtime, if known"""
    return {runtime.file: int(runtime.driver) for runtime in runtimes if runtime.driver}


def oldest_driver(release: str, drivers: Mapping[str, str]) -> str:
    """The oldest driver for a release. `drivers`: branch -> its CUDA release, oldest first. A runtime works with every
    driver of its major (minor-version compatibility), one older than 11.8 with those of CUDA 11; "" if the major is
    unknown."""
    major = release.partition(".")[0] or "11"
    return next((branch for branch, cuda in drivers.items() if cuda.partition(".")[0] == major), "")
