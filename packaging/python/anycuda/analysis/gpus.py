# SPDX-License-Identifier: Apache-2.0
"""CUDA's releases with their drivers, the GPUs, and how code is packed: facts of matrix.json, from compat/catalogue
(cuda_releases.txt, gpus.txt, packings.txt)."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path

from ..failure import Failure
from ..matrix import data

Version = tuple[int, int]


@dataclass(frozen=True)
class Release:
    cuda: Version
    ptx: Version  # what its compilers write, and the newest that its driver compiles
    driver: int  # the first branch that comes with it; 0: not known yet


@dataclass(frozen=True)
class Gpu:
    """An architecture: 90 of sm_90."""

    architecture: int
    generation: str
    tegra: bool
    first: Version
    last: Version | None  # None: the newest CUDA has it
    last_driver: int  # 0: the newest driver has it
    example: str

    @property
    def name(self) -> str:
        return f"sm_{self.architecture}"


@dataclass(frozen=True)
class Packing:
    """A way to pack code. Whether the branches between these two read it is not known."""

    unread_by: int  # the newest branch that does not read it
    read_by: int  # the first that does


@dataclass(frozen=True)
class Facts:
    releases: tuple[Release, ...]  # oldest first
    gpus: dict[int, Gpu]
    packings: dict[str, Packing]  # "zstd", "concatenated"

    def cuda_of_driver(self, branch: int) -> Release | None:
        """What a driver of that branch reports; None: older than all that is known."""
        return next((one for one in reversed(self.releases) if 0 < one.driver <= branch), None)

    def driver_after(self, branch: int) -> int:
        """The next branch; 0: none is known."""
        return next((one.driver for one in self.releases if one.driver > branch), 0)

    def release(self, cuda: Version) -> Release | None:
        return next((one for one in self.releases if one.cuda == cuda), None)

    def first_of_major(self, major: int) -> Release | None:
        return next((one for one in self.releases if one.cuda[0] == major), None)

    def driver_for_cubin(self, cuda: Version) -> int:
        """The oldest branch that loads cubins of that CUDA; 0: not known. From 11 on a major's first driver loads those
        of all its releases. Every known driver loads those of CUDAs before the first known one."""
        release = self.first_of_major(cuda[0]) if cuda[0] >= 11 else self.release(max(cuda, self.releases[0].cuda))
        return release.driver if release else 0

    def first_with_ptx(self, ptx: Version) -> Release | None:
        """The first release whose driver compiles PTX of that version."""
        return next((one for one in self.releases if one.ptx >= ptx), None)

    def driver_for_gpu(self, architecture: int) -> int:
        """The first branch that knows the GPU: that of the first CUDA for it; 0: not known."""
        gpu = self.gpus.get(architecture)
        release = self.release(gpu.first) if gpu else None
        return release.driver if release else 0


def version(text: str) -> Version:
    major, _, minor = text.partition(".")
    return int(major), int(minor)


@functools.cache
def facts(path: Path | None = None) -> Facts:
    """Of `path`, a matrix.json; by default the installed one."""
    try:
        return of_json(data.read(path)["device_code"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Failure(f"{path or data.find()} lacks {error}: it was made for another anycuda") from None


def of_json(text: dict) -> Facts:
    releases = tuple(Release(version(row["cuda"]), version(row["ptx"]), row["driver"]) for row in text["releases"])
    gpus = {row["architecture"]: Gpu(row["architecture"], row["generation"], row["tegra"], version(row["first"]),
                                     version(row["last"]) if row["last"] else None, row["last_driver"], row["example"])
            for row in text["gpus"]}
    drivers = {row["cuda"]: row["driver"] for row in text["releases"]}
    packings = {row["packing"]: Packing(drivers[row["unread_by"]], drivers[row["read_by"]]) for row in text["packings"]}
    return Facts(releases, gpus, packings)
