"""The stubs that go into a wheel: their names there, and what they can do."""

from __future__ import annotations

import functools
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from .. import installation
from ..elf import ElfError, read
from ..failure import Failure
from ..analysis import libraries


@dataclass(frozen=True)
class Stub:
    """`file`: its name in a wheel, which is one of its content: the dynamic linker knows a library by its name
    in the whole process, and another wheel's older stub must not stand in for this one. `exports`: (function,
    version); `glibc`: the oldest that it runs with."""

    library: str
    path: Path
    file: str
    machine: str
    glibc: tuple[int, int]
    exports: frozenset


class Stubs:
    """Of this installation, or of `folder`; each is read when it is first asked for."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        if folder is not None and not folder.is_dir():
            raise Failure(f"--stubs: {folder} is no folder")

    @functools.lru_cache(maxsize=None)
    def of(self, library: str) -> Stub:
        name = libraries.table().libraries[library].stub
        path = self.folder / name if self.folder else installation.find().stub(library)
        try:
            return load(library, path)
        except ElfError as error:
            raise Failure(f"{error}: this is no stub of anycuda") from None


def load(library: str, path: Path) -> Stub:
    image = read.read(path)
    if libraries.NATIVE not in image.versions_defined:
        raise ElfError(f"{path}: it lacks the symbol version {libraries.NATIVE}")
    stem, suffix = path.name.split(".so", 1)
    total = hashlib.sha256(path.read_bytes()).hexdigest()
    exports = frozenset((symbol.name, symbol.version) for symbol in image.exports())
    return Stub(library, path, f"{stem}-{total[:8]}.so{suffix}", image.machine, glibc_of(image), exports)


def glibc_of(image: read.Image) -> tuple[int, int]:
    """The newest glibc that any of its symbols asks for."""
    nodes = [node for group in image.versions_needed.values() for node in group]
    found = [re.fullmatch(r"GLIBC_(\d+)\.(\d+)(?:\.\d+)?", node) for node in nodes]
    return max(((int(one[1]), int(one[2])) for one in found if one), default=(0, 0))
