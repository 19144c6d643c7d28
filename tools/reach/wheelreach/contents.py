# SPDX-License-Identifier: Apache-2.0
"""The shared libraries of an unpacked wheel, read as ELF files."""

from __future__ import annotations

from pathlib import Path

from anycuda.elf import read
from anycuda.elf.errors import ElfError
from anycuda.elf.read import Image

STUB = "libanycuda_"


def libraries(prefix: Path) -> dict[str, Image]:
    """Name below the prefix -> its image, for the shared libraries of x86_64 that can be read."""
    found = {}
    for path in sorted(prefix.rglob("*")):
        if path.is_symlink() or not path.is_file() or not _is_elf(path):
            continue
        try:
            image = read.read(path)
        except ElfError:
            continue
        if image.machine == "x86_64" and image.kind == "shared":
            found[path.relative_to(prefix).as_posix()] = image
    return found


def is_stub(image: Image) -> bool:
    return image.path.name.startswith(STUB)


def _is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"
