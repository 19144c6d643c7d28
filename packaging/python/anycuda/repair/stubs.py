# SPDX-License-Identifier: Apache-2.0
"""The stubs that go into a wheel: their names there, and their functions."""

from __future__ import annotations

import functools
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from .. import installation
from ..analysis import libraries
from ..elf import ElfError, edit, mark, read
from ..failure import Failure


@dataclass(frozen=True)
class Stub:
    """`file`: its name in a wheel. A stub's name has a hash of its content: the dynamic linker identifies a library by
    its name in the whole process, and another wheel's older stub must not replace this one. A drop-in has NVIDIA's
    name. `exports`: (function, version). `glibc`: the oldest that it runs with. `quiet`: mark it as quiet
    (elf/mark.py)."""

    library: str
    path: Path
    file: str
    machine: str
    glibc: tuple[int, int]
    exports: frozenset[tuple[str, str | None]]
    quiet: bool = False


class Stubs:
    """The stubs of this installation, or of `folder`, which has drop-ins in its folder `dropin`. Each is read at first
    use."""

    def __init__(self, folder: Path | None, quiet: bool = False) -> None:
        self.folder, self.quiet = folder, quiet
        if folder is not None and not folder.is_dir():
            raise Failure(f"--stubs {folder} is not a folder: name the folder with the stubs (lib*_stub.so)")

    @functools.cache
    def stub(self, library: str) -> Stub:
        name = libraries.table().libraries[library].stub
        path = self.folder / name if self.folder else installation.find().stub(library)
        try:
            return load(library, path, self.quiet)
        except ElfError as error:
            raise Failure(f"{error}: not a stub of anycuda; install anycuda again, or correct --stubs") from None

    @functools.cache
    def dropin(self, library: str, soname: str) -> Stub | None:
        """The drop-in of that name, or None."""
        folder = self.folder / "dropin" if self.folder else installation.find().folder("dropins")
        if not folder.is_dir():
            raise Failure(f"--stubs {self.folder} has no folder dropin, but the wheel opens {soname} by name: put the "
                          "drop-ins there, or pass --no-drop-ins")
        path = folder / soname
        if not path.is_file():
            return None
        try:
            return load(library, path, self.quiet, soname)
        except ElfError as error:
            raise Failure(f"{error}: not a drop-in of anycuda; install anycuda again, or correct --stubs") from None


def load(library: str, path: Path, quiet: bool = False, name: str = "") -> Stub:
    """`name`: its name in a wheel, if that does not depend on its content."""
    image = read.read(path)
    if not libraries.is_anycudas(image):
        raise ElfError(f"{path} lacks the symbol version {libraries.NATIVE}")
    total = hashlib.sha256(content(path, quiet)).hexdigest()
    exports = frozenset((symbol.name, symbol.version) for symbol in image.exports())
    file = name or f"{libraries.wheel_stem(library)}-{total[:8]}.so"
    return Stub(library, path, file, image.machine, glibc_of(image), exports, quiet)


def content(path: Path, quiet: bool) -> bytes:
    """The stub's content in a wheel, except its name."""
    data = path.read_bytes()
    if not quiet:
        return data
    try:
        return mark.quieted(data, path)
    except ElfError:
        raise Failure(f"--quiet-stubs: {path} cannot be made quiet, since it belongs to an older anycuda: use the "
                      "stubs of this anycuda") from None


def write(stub: Stub, work: Path) -> Path:
    """Writes the stub to the folder under its name in wheels; returns its path."""
    path = work / stub.file
    if not path.exists():
        path.write_bytes(content(stub.path, stub.quiet))
        edit.apply(path, edit.Edit(soname=stub.file))
    return path


def glibc_of(image: read.Image) -> tuple[int, int]:
    """The newest glibc that any of its symbols references."""
    names = [name for group in image.versions_needed.values() for name in group]
    matches = [re.fullmatch(r"GLIBC_(\d{1,9})\.(\d{1,9})(?:\.\d+)?", name) for name in names]
    return max(((int(match[1]), int(match[2])) for match in matches if match), default=(0, 0))
