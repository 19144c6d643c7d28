# SPDX-License-Identifier: Apache-2.0
"""Reads a wheel: each file is read once, checked against the zip and RECORD, and analysed if it is a program, a library
or a text that may name libraries. Only small facts are kept."""

from __future__ import annotations

import itertools
import operator
import posixpath
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..analysis import contents, file_use, libraries, siblings
from ..analysis.kernels import Kernels
from ..analysis.named import Named
from ..analysis.python_use import PythonUse
from ..elf import ElfError, read
from ..wheels import wheel_record, writing
from ..wheels.ahead import ahead
from ..wheels.archive import Wheel
from . import stubs
from .waiting import Waiting


@dataclass(frozen=True)
class Member:
    """A program or library of the wheel. `native`: its needs that it references with the version that only stubs have.
    `opens`: strings in it that name stubs of the wheel. `has_rpath`: the search path is a DT_RPATH."""

    name: str
    machine: str
    soname: str
    needed: tuple[str, ...]
    search_path: str | None
    glibc: tuple[int, int]
    use: file_use.FileUse
    native: frozenset[str] = frozenset()
    opens: tuple[str, ...] = ()
    has_rpath: bool = False

    @property
    def file(self) -> str:
        return posixpath.basename(self.name)


@dataclass
class Scan:
    """`unread`: file -> why it cannot be read. `texts`: file -> names of CUDA libraries in it. For a verdict,
    `kernels`: the device code of the members, and `python`: the libraries and packages of the Python files. `unpacked`:
    file -> path of its content, for as many programs and libraries as there is room for. `unrecorded`: how RECORD
    differs from the files."""

    members: list[Member] = field(default_factory=list)
    unread: dict[str, str] = field(default_factory=dict)
    texts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    sums: dict[str, wheel_record.Row] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    kernels: Kernels = field(default_factory=Kernels)
    python: PythonUse = field(default_factory=PythonUse)
    unpacked: dict[str, Path] = field(default_factory=dict)
    unrecorded: list[str] = field(default_factory=list)


def look(wheel: Wheel, work: Path, step: writing.Step, budget: int = 0, for_verdict: bool = True) -> Scan:
    """`budget`: bytes of unpacked files that may stay in `work`."""
    content = wheel.read(wheel.record, wheel_record.LARGEST)
    rows = wheel_record.parse(content, f"{wheel.path}: {wheel.record}", len(wheel.entries))
    waiting = Waiting(work)
    scan = Scan(files=tuple(entry.filename for entry in wheel.entries), kernels=waiting.kernels)
    for (entry, total), blocks in itertools.groupby(ahead(_blocks(wheel, rows)), operator.itemgetter(0, 1)):
        waiting.reserve(entry.file_size)
        path = _file(wheel, entry, _summed(total, (block for _, _, block in blocks)), work, scan, step, for_verdict)
        is_kept = path is not None and entry.file_size <= budget
        if path and is_kept:
            budget -= entry.file_size
            scan.unpacked[entry.filename] = path
        if path and for_verdict and scan.members and scan.members[-1].name == entry.filename:
            waiting.add(entry.filename, path, is_kept)
        elif path and not is_kept:
            path.unlink()
        scan.sums[entry.filename] = total.row
    waiting.read()
    found = siblings.resolved([(member.name, member.use) for member in scan.members])
    scan.members = [replace(member, use=use) for member, use in zip(scan.members, found)]
    scan.unrecorded = wheel_record.compare(rows, scan.sums, wheel.record)
    return scan


def _blocks(wheel: Wheel, rows: dict[str, wheel_record.Row]
            ) -> Iterator[tuple[zipfile.ZipInfo, wheel_record.Sum, bytes]]:
    """The blocks of all files, each with the file's sum. An empty file has an empty block."""
    for entry in wheel.entries:
        if not entry.is_dir() and entry.filename != wheel.record:
            total = wheel_record.Sum(wheel_record.algorithm(rows, entry.filename))
            for block in wheel.blocks(entry):
                yield entry, total, block
            if not entry.file_size:
                yield entry, total, b""


def _summed(total: wheel_record.Sum, blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Sums the blocks here, since unpacking runs in another thread."""
    for block in blocks:
        total.add(block)
        yield block


def _file(wheel: Wheel, entry: zipfile.ZipInfo, blocks: Iterable[bytes], work: Path, scan: Scan,
          step: writing.Step, for_verdict: bool) -> Path | None:
    """The path to which it is unpacked, if it is a program or library."""
    name, named = entry.filename, Named(entry.filename, entry.file_size)
    first, path = True, None
    for block in blocks:
        if first and block[:4] == b"\x7fELF":
            path = writing.place_of(entry, work)
            path.write_bytes(b"")
        first = False
        if path:
            with open(path, "ab") as file:
                file.write(block)
        named.add(block)
        step(name, len(block))
    if path:
        _elf(name, path, scan)
    names = named.names()
    if name.startswith(wheel.dist_info + "/"):
        return path
    if names:
        scan.texts[name] = names
    if for_verdict and named.python is not None:
        scan.python.add(name, named.python, names)
    return path


def _elf(name: str, path: Path, scan: Scan) -> None:
    try:
        image = read.read(path)
        use = file_use.analyse(image)
        opens = _stubs_named(path, scan)
    except ElfError as error:
        scan.unread[name] = str(error).replace(f"{path}: ", "")
        return
    scan.members.append(Member(name, image.machine, image.soname, tuple(image.needed),
                               image.rpath if image.runpath is None else image.runpath,
                               stubs.glibc_of(image), use, _native(image), opens, image.runpath is None))


def _native(image: read.Image) -> frozenset[str]:
    return frozenset(file for file, names in image.versions_needed.items() if libraries.NATIVE in names)


def _stubs_named(path: Path, scan: Scan) -> tuple[str, ...]:
    """The stubs' common names in the file. Reading it again matters only for wheels with stubs under these names."""
    table = libraries.table()
    if not {posixpath.basename(name) for name in scan.files} & {one.stub for one in table.libraries.values()}:
        return ()
    of_stubs = {name: replace(one, file_prefix=one.stub) for name, one in table.libraries.items()}
    found = contents.read(path, replace(table, libraries=of_stubs)).names
    return tuple(sorted({posixpath.basename(text) for texts in found.values() for text in texts}))
