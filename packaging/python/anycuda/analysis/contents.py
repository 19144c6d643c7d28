# SPDX-License-Identifier: Apache-2.0
"""Facts from the strings in a file: the CUDA libraries that it may load, and a CUDA runtime or stub linked into it.

Strings show what is possible, not what happens. Only the loaded segments are read, in pieces.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ..elf import layout
from ..elf import read as elf_read
from ..elf.headers import Headers, Segment
from ..elf.source import Source
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


def read(path: Path, table: Table) -> Contents:
    with elf_read.opened(path) as file:
        headers = Headers(Source(file, str(path)))
        search = _Search(headers, table)
        for piece in _pieces(file, headers):
            search.add(piece)
        release = _release(_pieces(file, headers), table) if search.runtime else ""
    return search.contents(release)


class _Search:
    """The search of one file, piece by piece. `_plain`: names; `_behind_folders`: names at the end of a path."""

    def __init__(self, headers: Headers, table: Table) -> None:
        self.runtime = False
        self._table = table
        self._stems = dict.fromkeys(library.stem for library in table.libraries.values())
        # A whole string: the name itself, a path that ends in it, or a form for printf (libcudart.so.%d).
        self._pattern = re.compile(rb"(?:%s)\.so[.0-9%%a-z]{0,12}\0" % b"|".join(_stems(self._stems, table)))
        self._stub = re.compile(_STUB % b"|".join(re.escape(name.encode()) for name in table.libraries))
        self._linked = _Linked(headers.strings().table, self._pattern)
        self._immediates = Immediates(_whole_names(table)) if headers.machine == "x86_64" else None
        self._stubs: set[str] = set()
        self._plain: set[str] = set()
        self._behind_folders: set[str] = set()

    def add(self, piece: _Piece) -> None:
        self.runtime = self.runtime or _RUNTIME in piece.data
        self._stubs.update(match[1].decode() for match in self._stub.finditer(piece.data))
        for match in self._pattern.finditer(piece.data):
            if _is_new(match, piece) and _is_text(match, piece, self._linked):
                is_end = piece.data[max(match.start() - 1, 0): match.start()] == b"/"
                (self._behind_folders if is_end else self._plain).add(match[0][:-1].decode())
        if self._immediates:
            self._plain |= self._immediates.constants(piece.data, piece.address)
            self._plain |= self._immediates.names_in(piece.data) if piece.code else set()

    def contents(self, release: str) -> Contents:
        names: dict[str, list[str]] = {}
        unstubbed: list[str] = []
        for name in sorted(self._plain | self._behind_folders):
            if name.partition(".so")[0] in self._stems:
                names.setdefault(self._table.of_string(name).name, []).append(name)
            elif self._table.has_no_stub(name):  # not libcudnn_stub.so, which looks like a part
                unstubbed.append(name)
        return Contents({name: tuple(strings) for name, strings in sorted(names.items())}, self.runtime,
                        tuple(sorted(self._stubs)), frozenset(self._behind_folders - self._plain), tuple(unstubbed),
                        release)


def _release(pieces: Iterable[_Piece], table: Table) -> str:
    """The release of the runtime in the file. Only files with a runtime are searched for its strings."""
    marks = {mark: b"\0%s\0" % mark.encode() for mark in table.static_runtimes.values()}
    strings = {mark for piece in pieces for mark, text in marks.items() if text in piece.data}
    return newest_release(strings, table.static_runtimes)


def newest_release(strings: Collection[str], marks: Mapping[str, str]) -> str:
    """The newest release whose string and all earlier ones are in the file; "" if the runtime is older than the first.
    `marks`: release -> the string that it added, oldest first. `strings`: those of `marks` in the file.

    A runtime has strings (error texts and forms of paths), and each release adds some. They are in every file with the
    runtime: stripped, linked with --gc-sections, or for a single function. A runtime has the strings of its release and
    of every earlier one, so a later string that belongs to the program does not mislead."""
    newest = ""
    for release, mark in marks.items():
        if mark not in strings:
            break
        newest = release
    return newest


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


def _is_new(match: re.Match[bytes], piece: _Piece) -> bool:
    """Counts a name where two pieces meet once: in the piece that also has the bytes after it."""
    return match.end() + _AFTER > piece.seen and (match.end() + _AFTER <= len(piece.data) or piece.last)


class _Linked:
    """The names in the string table of the dynamic section. `_names`: each with the bytes before it. `_first`: names
    near the start of the table, with the bytes before them, and the bytes after them if few come before."""

    def __init__(self, table: bytes, pattern: re.Pattern[bytes]) -> None:
        self._names: set[tuple[bytes, bytes]] = set()
        self._first: list[tuple[bytes, bytes, bytes]] = []
        match = pattern.search(table)
        while match:
            at, end = match.span()
            before = table[max(at - _BEFORE, 0): at]
            if len(before) == _BEFORE:
                self._names.add((match[0], before))
            else:
                self._first.append((match[0], before, table[end: end + _AFTER] if len(before) < _ENOUGH else b""))
            match = pattern.search(table, at + 1)

    def has(self, match: re.Match[bytes]) -> bool:
        data, first, end = match.string, match.start(), match.end()
        if (match[0], data[max(first - _BEFORE, 0): first]) in self._names:
            return True
        return any(name == match[0] and data[max(first - len(before), 0): first] == before
                   and data[end: end + len(after)] == after for name, before, after in self._first)


def _is_text(match: re.Match[bytes], piece: _Piece, linked: _Linked) -> bool:
    """Is the match a complete string of the program? The end of a longer name is not. A name in the string table of the
    dynamic section is a DT_NEEDED entry or a version. Tools that edit a file leave an old copy of that table, in which
    a name has the same bytes around it."""
    first = match.start()
    if first and piece.data[first - 1] in _OF_TEXT or not first and not piece.whole:
        return False
    return not linked.has(match)


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
