# SPDX-License-Identifier: Apache-2.0
"""Facts from the strings in a file: the CUDA libraries that it may load, and a CUDA runtime or stub linked into it.

Strings show what is possible, not what happens. Only the loaded segments are read, in pieces.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ..elf import layout, read
from ..elf.headers import Headers, Segment
from ..elf.source import Source
from . import static_runtime
from .immediates import Immediates
from .libraries import Table

_PIECE = 1 << 20
# A name is identified by _BEFORE bytes before it, and by _AFTER bytes after it if fewer than _ENOUGH come before.
_BEFORE, _ENOUGH, _AFTER = 32, 8, 16
# After one of these bytes a name is the end of a longer name or of a sentence.
_OF_TEXT = bytes(byte for byte in (*range(0x09, 0x0E), *range(0x20, 0x7F)) if byte != ord("/"))
_LONGEST = 256  # bytes of a name with its surroundings; pieces overlap by as many
# The name of the shared memory by which the runtimes of several processes communicate. Every libcudart from 11.7 to
# 13.5 has it, and every file linked to libcudart_static.a (tried with 11.8, 12.4 and 13.0), even if it is stripped,
# linked with --gc-sections, or uses a single function. NVRTC, nvJitLink and the driver do not have it.
_RUNTIME = b"/cudart.shm."
# Part of each stub's note (stubs/tools/generate/dlopen_note.py). Linkers keep notes, even with --gc-sections, and
# strip keeps loaded sections.
_STUB = rb'"feature":"(%s)","description":"The [^"\0]{1,40} that calls are handed to"'


@dataclass(frozen=True)
class Contents:
    """`names`: library -> strings that name a file of it, as given to dlopen. `by_path`: the names found only at the
    end of a path, where dlopen does not search. `unstubbed`: strings that name an NVIDIA library without a stub.
    `runtime`: a CUDA runtime is linked in. `release`: its CUDA release; "" without a runtime or if the runtime is older
    than all known ones. `stubs`: the libraries whose stubs are linked in; for a stub, its own library."""

    names: dict[str, tuple[str, ...]]
    runtime: bool
    stubs: tuple[str, ...]
    by_path: frozenset[str] = frozenset()
    unstubbed: tuple[str, ...] = ()
    release: str = ""


class _Piece(NamedTuple):
    """A piece of a segment. `seen`: the number of bytes that it shares with the previous piece. `whole`: it begins with
    the segment. `last`: it ends with the segment. `code`: it may hold instructions. `address`: the address of its first
    byte when loaded."""

    data: bytes
    seen: int
    whole: bool
    last: bool
    code: bool
    address: int


def look(path: Path, table: Table) -> Contents:
    stems = dict.fromkeys(library.stem for library in table.libraries.values())
    # A whole string: the name itself, a path that ends in it, or a form for printf (libcudart.so.%d).
    pattern = re.compile(rb"(?:%s)\.so[.0-9%%a-z]{0,12}\0" % b"|".join(_stems(stems, table)))
    stub = re.compile(_STUB % b"|".join(re.escape(name.encode()) for name in table.libraries))
    immediates = Immediates(_whole_names(table))
    stubs: set[str] = set()
    plain: set[str] = set()
    behind_folders: set[str] = set()
    runtime = False
    with read.opened(path) as file:
        headers = Headers(Source(file, str(path)))
        linked = _Linked(headers.strings().table, pattern)
        for piece in _pieces(file, headers):
            runtime = runtime or _RUNTIME in piece.data
            stubs.update(found[1].decode() for found in stub.finditer(piece.data))
            for found in pattern.finditer(piece.data):
                if _is_new(found, piece) and _is_text(found, piece, linked):
                    is_end = piece.data[max(found.start() - 1, 0): found.start()] == b"/"
                    (behind_folders if is_end else plain).add(found[0][:-1].decode())
            if headers.machine == "x86_64":
                plain |= immediates.constants(piece.data, piece.address)
                plain |= immediates.names_in(piece.data) if piece.code else set()
        release = _release(_pieces(file, headers), table) if runtime else ""
    names: dict[str, list[str]] = {}
    unstubbed: list[str] = []
    for name in sorted(plain | behind_folders):
        if name.partition(".so")[0] in stems:
            names.setdefault(table.of_string(name).name, []).append(name)
        elif table.has_no_stub(name):  # not libcudnn_stub.so, which looks like a part
            unstubbed.append(name)
    return Contents({name: tuple(strings) for name, strings in sorted(names.items())}, runtime, tuple(sorted(stubs)),
                    frozenset(behind_folders - plain), tuple(unstubbed), release)


def _release(pieces: Iterable[_Piece], table: Table) -> str:
    """The release of the runtime in the file. Only files with a runtime are searched for its strings."""
    marks = {mark: b"\0%s\0" % mark.encode() for mark in table.static_runtimes.values()}
    found = {mark for piece in pieces for mark, text in marks.items() if text in piece.data}
    return static_runtime.release(found, table.static_runtimes)


def _stems(stems: Iterable[str], table: Table) -> Iterator[bytes]:
    """The stems of all libraries and their parts (libcudnn_ops), as regular expressions."""
    yield from (re.escape(stem.encode()) for stem in (*stems, *sorted(table.unstubbed_stems)))
    yield from (re.escape(library.parts.encode()) + rb"[a-z_]{1,40}" for library in table.libraries.values()
                if library.parts)


def _whole_names(table: Table) -> Iterator[str]:
    for library in table.libraries.values():
        yield library.file_prefix
        yield from (major.soname for major in library.majors.values()
                    if major.soname.startswith(library.file_prefix))
    yield from table.unstubbed_sonames
    yield from (f"{stem}.so" for stem in table.unstubbed_stems)


def _is_new(found: re.Match[bytes], piece: _Piece) -> bool:
    """Counts a name where two pieces meet once: in the piece that also has the bytes after it."""
    return found.end() + _AFTER > piece.seen and (found.end() + _AFTER <= len(piece.data) or piece.last)


class _Linked:
    """The names in the string table of the dynamic section. `_names`: each with the bytes before it. `_first`: names
    near the start of the table, with the bytes before them, and the bytes after them if few come before."""

    def __init__(self, table: bytes, pattern: re.Pattern[bytes]) -> None:
        self._names: set[tuple[bytes, bytes]] = set()
        self._first: list[tuple[bytes, bytes, bytes]] = []
        found = pattern.search(table)
        while found:
            at, end = found.span()
            before = table[max(at - _BEFORE, 0): at]
            if len(before) == _BEFORE:
                self._names.add((found[0], before))
            else:
                self._first.append((found[0], before, table[end: end + _AFTER] if len(before) < _ENOUGH else b""))
            found = pattern.search(table, at + 1)

    def has(self, found: re.Match[bytes]) -> bool:
        data, first, end = found.string, found.start(), found.end()
        if (found[0], data[max(first - _BEFORE, 0): first]) in self._names:
            return True
        return any(name == found[0] and data[max(first - len(before), 0): first] == before
                   and data[end: end + len(after)] == after for name, before, after in self._first)


def _is_text(found: re.Match[bytes], piece: _Piece, linked: _Linked) -> bool:
    """Is the match a complete string of the program? The end of a longer name is not. A name in the string table of the
    dynamic section is a DT_NEEDED entry or a version. Tools that edit a file leave an old copy of that table, in which
    a name has the same bytes around it."""
    first = found.start()
    if first and piece.data[first - 1] in _OF_TEXT or not first and not piece.whole:
        return False
    return not linked.has(found)


def _pieces(file: BinaryIO, headers: Headers) -> Iterator[_Piece]:
    for segment in headers.segments:
        if segment.kind == layout.PT_LOAD:
            yield from _read(file, segment)


def _read(file: BinaryIO, segment: Segment) -> Iterator[_Piece]:
    kept, whole = b"", True
    start, end, code = segment.offset, segment.offset + segment.in_file, bool(segment.flags & layout.PF_X)
    file.seek(start)
    while start < end:
        data = file.read(min(_PIECE, end - start))
        if not data:
            return
        address = segment.address + start - segment.offset - len(kept)
        start += len(data)
        yield _Piece(kept + data, len(kept), whole, start == end, code, address)
        kept += data
        whole = whole and len(kept) <= _LONGEST
        kept = kept[-_LONGEST:]
