# SPDX-License-Identifier: Apache-2.0
"""The packages that are installed beside a wheel, in the same site-packages folder."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from . import command, download, unpack
from .wheel_list import Entry


def fetch(entry: Entry, cache: Path) -> list[Path]:
    """The wheels of the entry's companions."""
    return [download.fetch(wheel, cache / "wheels" / wheel.requirement) for wheel in entry.beside]


def repair(anycuda: Path, wheels: list[Path], out: Path) -> list[command.Repair]:
    """Each repaired that uses CUDA. The others stay as they come: `anycuda repair` would only check their RECORD, and
    packages with a wrong one are on PyPI (scipy-openblas32 0.3.31), where pip installs them."""
    return [_repair(anycuda, path, out) for path in wheels]


@cache  # PyTorch, which takes minutes, is beside several wheels of a list
def _repair(anycuda: Path, wheel: Path, out: Path) -> command.Repair:
    if uses_cuda(command.check(anycuda, wheel)):
        return command.repair(anycuda, wheel, out)
    return command.Repair(wheel, "", [])


def uses_cuda(report: dict[str, Any]) -> bool:
    """Of the report of `anycuda check`: does a library need or open one of NVIDIA's?"""
    return any(file["uses"] or file["opens"] or file["other"] for file in report["files"])


def unpack_all(wheels: list[Path], prefix: Path) -> set[str]:
    """The names of their files below the prefix."""
    return {name for path in wheels for name in unpack.unpack(path, prefix)}
