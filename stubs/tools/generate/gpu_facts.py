# SPDX-License-Identifier: Apache-2.0
"""The facts about device code for matrix.json, checked: compat/catalogue (cuda_releases, gpus and packings.txt)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .abi_text import version_key

RELEASES = "cuda_releases.txt"
GPUS = "gpus.txt"
PACKINGS = "packings.txt"

_RELEASE = re.compile(r"(\d+\.\d+) +(\d+\.\d+) +(\d+|-)")
_GPU = re.compile(r"(\d+) +(\w+|-) +(tegra|-) +(\d+\.\d+) +(\d+\.\d+|-) +(\d+|-) +(\S.*)")
_PACKING = re.compile(r"(zstd|concatenated) +(\d+\.\d+) +(\d+\.\d+)")


def read(folder: Path) -> dict[str, Any]:
    releases = [_release(row) for row in rows(folder / RELEASES, _RELEASE)]
    _check_order(RELEASES, [version_key(release["cuda"]) for release in releases])
    gpus = [_gpu(row) for row in rows(folder / GPUS, _GPU)]
    _check_order(GPUS, [(gpu["architecture"],) for gpu in gpus])
    packings = [_packing(row) for row in rows(folder / PACKINGS, _PACKING)]
    _check_packings(packings, [release["cuda"] for release in releases if release["driver"]])
    return {"releases": releases, "gpus": gpus, "packings": packings}


def _release(row: re.Match[str]) -> dict[str, Any]:
    return {"cuda": row[1], "ptx": row[2], "driver": _number(row[3])}


def _gpu(row: re.Match[str]) -> dict[str, Any]:
    return {"architecture": int(row[1]), "generation": _text(row[2]), "tegra": row[3] == "tegra", "first": row[4],
            "last": _text(row[5]), "last_driver": _number(row[6]), "example": _text(row[7])}


def _packing(row: re.Match[str]) -> dict[str, Any]:
    return {"packing": row[1], "unread_by": row[2], "read_by": row[3]}


def rows(path: Path, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        row = pattern.fullmatch(line)
        if row is None:
            raise ValueError(f"{path.name}:{number}: the line does not follow the format at the top of the file")
        yield row


def _check_order(name: str, keys: list[tuple[int, ...]]) -> None:
    if not keys or keys != sorted(set(keys)):
        raise ValueError(f"{name}: the rows must be in ascending order, each only once")


def _check_packings(packings: list[dict[str, Any]], with_driver: list[str]) -> None:
    """`with_driver`: the CUDAs whose driver is known, oldest first."""
    if sorted(row["packing"] for row in packings) != ["concatenated", "zstd"]:
        raise ValueError(f"{PACKINGS}: expected one row for zstd and one for concatenated")
    for row in packings:
        if not {row["unread_by"], row["read_by"]} <= {*with_driver} or (
                with_driver.index(row["unread_by"]) >= with_driver.index(row["read_by"])):
            raise ValueError(f"{PACKINGS}: {row['packing']}: expected two releases whose drivers are in {RELEASES}, "
                             "the older one first")


def _number(text: str) -> int:
    return 0 if text == "-" else int(text)


def _text(text: str) -> str:
    return "" if text == "-" else text
