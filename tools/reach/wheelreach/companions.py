"""The packages that are installed beside a wheel, in the same site-packages folder."""

from __future__ import annotations

from pathlib import Path

from . import command, download, unpack
from .wheel_list import Entry


def fetch(entry: Entry, cache: Path) -> list[Path]:
    """The wheels of the entry's companions."""
    return [download.fetch(one, cache / "wheels" / one.requirement) for one in entry.beside]


def repair(anycuda: Path, wheels: list[Path], out: Path) -> list[command.Repair]:
    """Each repaired; the repair copies one for which it has nothing to do."""
    return [command.repair(anycuda, path, out) for path in wheels]


def unpack_all(wheels: list[Path], prefix: Path) -> set[str]:
    """The names of their files below the prefix."""
    return {name for path in wheels for name in unpack.unpack(path, prefix)}
