# SPDX-License-Identifier: Apache-2.0
"""The places where the dynamic linker looks for a library (ld.so(8))."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path

from .errors import ElfError
from .read import Image, read

CACHE = Path("/etc/ld.so.cache")
_SYSTEM = ("/lib/{cpu}-linux-gnu", "/usr/lib/{cpu}-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib")


def folders(search: str | None, file: Path) -> tuple[Path, ...]:
    """The folders of a DT_RPATH or DT_RUNPATH of `file`."""
    origin = str(file.resolve().parent)
    return tuple(Path(entry.replace("${ORIGIN}", origin).replace("$ORIGIN", origin))
                 for entry in (search or "").split(":") if entry)


def system(machine: str) -> tuple[Path, ...]:
    """The folders that the dynamic linker searches without any setting."""
    return tuple(Path(folder.format(cpu=machine)) for folder in _SYSTEM)


def cached(name: str) -> list[Path]:
    """The folders that the dynamic linker's cache has for a library. The cache stores each file's path as a string."""
    content, end = b"", b"/" + os.fsencode(name)
    with contextlib.suppress(OSError):
        content = CACHE.read_bytes()
    return [Path(os.fsdecode(text[text.index(b"/"):])).parent for text in content.split(b"\0") if text.endswith(end)]


def library(name: str, places: Iterable[Path], machine: str) -> tuple[Path, Image] | None:
    """The first library of that name for the machine."""
    for path in [Path(name)] if "/" in name else [place / name for place in places]:
        try:
            if path.is_file():
                image = read(path)
                if image.machine == machine:
                    return path, image
        except (ElfError, OSError):  # the dynamic linker skips most of these, too
            continue
    return None
