# SPDX-License-Identifier: Apache-2.0
"""CUDA's releases with their drivers, the GPUs, and the packings of code: facts of matrix.json, from compat/catalogue
(cuda_releases.txt, gpus.txt, packings.txt)."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..failure import Failure
from ..matrix import data

Version = tuple[int, int]


@dataclass(frozen=True)
class Release:
    cuda: Version
    ptx: Version  # its compilers write this version, and its driver compiles up to this version
    driver: int  # the first branch that comes with it; 0: unknown


@dataclass(frozen=True)
class Gpu:
    """An architecture: 90 for sm_90."""

    architecture: int
    generation: str
    tegra: bool
    first: Version
    last: Version | None  # None: the newest CUDA supports it
    last_driver: int  # 0: the newest driver supports it
    example: str

    @property
    def name(self) -> str:
        return f"sm_{self.architecture}"


@dataclass(frozen=True)
class Packing:
    """A way to pack code. For branches between the two it is unknown whether they read it."""

    unread_by: int  # the newest branch that does not read it
    read_by: int  # the first that does


@dataclass(frozen=True)
class Facts:
    releases: tuple[Release, ...]  # oldest first
    gpus: dict[int, Gpu]
    packings: dict[str, Packing]  # "zstd", "concatenated"

    def cuda_of_driver(self, branch: int) -> Release | None:
        """The release that a driver of the branch reports; None if it is older than all known ones."""
        return next((release for release in reversed(self.releases) if 0 < release.driver <= branch), None)

    def driver_after(self, branch: int) -> int:
        """The next known branch; 0 without any."""
        return next((release.driver for release in self.releases if release.driver > branch), 0)

    def release(self, cuda: Version) -> Release | None:
        return next((release for release in self.releases if release.cuda == cuda), None)

    def first_of_major(self, major: int) -> Release | None:
        return next((release for release in self.releases if release.cuda[0] == major), None)

    def driver_for_major(self, major: int) -> int:
        """The oldest branch that runs every release of a CUDA major, from 11 on; 0: unknown. The stubs have the same
        rule (compat/rules/driver_rule.cc)."""
        release = self.first_of_major(major)
        return release.driver if release else 0

    def driver_for_cubin(self, cuda: Version) -> int:
        """The oldest branch that loads cubins of this CUDA; 0: unknown. Since 11, a major's first driver loads the
        cubins of all its releases. Every known driver loads those of CUDAs before the first known one."""
        if cuda[0] >= 11:
            return self.driver_for_major(cuda[0])
        release = self.release(max(cuda, self.releases[0].cuda))
        return release.driver if release else 0

    def first_with_ptx(self, ptx: Version) -> Release | None:
        """The first release whose driver compiles this PTX version."""
        return next((release for release in self.releases if release.ptx >= ptx), None)

    def driver_for_gpu(self, architecture: int) -> int:
        """The first branch that supports the GPU: that of the first CUDA for it; 0: unknown."""
        gpu = self.gpus.get(architecture)
        release = self.release(gpu.first) if gpu else None
        return release.driver if release else 0


def version(text: str) -> Version:
    major, _, minor = text.partition(".")
    return int(major), int(minor)


@functools.cache
def facts(path: Path | None = None) -> Facts:
    """The facts of `path`, a matrix.json; by default the installed one."""
    try:
        return from_json(data.read(path)["device_code"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Failure(f"{path or data.find()} cannot be read ({error!r}): it belongs to another version of anycuda; "
                      "install anycuda again") from None


def from_json(text: dict[str, Any]) -> Facts:
    releases = tuple(Release(version(row["cuda"]), version(row["ptx"]), row["driver"]) for row in text["releases"])
    gpus = {row["architecture"]: Gpu(row["architecture"], row["generation"], row["tegra"], version(row["first"]),
                                     version(row["last"]) if row["last"] else None, row["last_driver"], row["example"])
            for row in text["gpus"]}
    drivers = {row["cuda"]: row["driver"] for row in text["releases"]}
    packings = {row["packing"]: Packing(drivers[row["unread_by"]], drivers[row["read_by"]]) for row in text["packings"]}
    return Facts(releases, gpus, packings)
