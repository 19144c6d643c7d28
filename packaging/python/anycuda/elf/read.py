# SPDX-License-Identifier: Apache-2.0
"""Reads the name, needs, symbols and versions of a shared library or program.

Only the dynamic segment is used, since the dynamic linker uses it and it survives stripping. Every other file, however
damaged, raises an ElfError.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Literal

from . import layout, symbols, versions
from .errors import ElfError, failures
from .headers import Headers, Strings
from .source import Source
from .symbols import Symbol


@dataclass
class Image:
    """`kind`: "shared" or "executable". `rpath` and `runpath`: None if absent. `sections`: their names; empty if they
    were stripped."""

    path: Path
    machine: str
    kind: str
    soname: str = ""
    needed: list[str] = field(default_factory=list)
    rpath: str | None = None
    runpath: str | None = None
    versions_defined: list[str] = field(default_factory=list)
    versions_needed: dict[str, list[str]] = field(default_factory=dict)
    symbols: list[Symbol] = field(default_factory=list)
    sections: list[str] = field(default_factory=list)

    def exports(self) -> list[Symbol]:
        """The defined functions and objects, without the absolute symbols that name symbol versions."""
        return [s for s in self.symbols if s.defined and s.section != layout.SHN_ABS]

    def undefined(self) -> list[Symbol]:
        return [s for s in self.symbols if not s.defined and s.name]


def read(path: os.PathLike[str] | str) -> Image:
    """The image of the file at `path`; raises ElfError with the reason."""
    with opened(path) as file:
        return read_open(file, path)


def read_open(file: BinaryIO, path: os.PathLike[str] | str) -> Image:
    """The image of an open file, which must allow reading and seeking."""
    with failures(path):
        return _image(Headers(Source(file, str(path))), Path(path))


def opened(path: os.PathLike[str] | str, mode: Literal["rb", "r+b"] = "rb") -> BinaryIO:
    try:
        # A pipe would block, and a device has no end.
        if os.path.exists(path) and not os.path.isfile(path):
            raise ElfError(f"{path}: not a regular file")
        with failures(path):
            return open(path, mode, buffering=0)
    except ValueError as error:
        raise error if isinstance(error, ElfError) else ElfError(f"{path!r}: {error}") from None


def _image(headers: Headers, path: Path) -> Image:
    strings = headers.strings()

    def text(tag: int) -> str | None:
        value = headers.value(tag)
        return None if value is None else strings.get(value)

    image = Image(path, headers.machine, _kind(headers), text(layout.DT_SONAME) or "",
                  [strings.get(value) for value in headers.values(layout.DT_NEEDED)],
                  text(layout.DT_RPATH), text(layout.DT_RUNPATH))
    indices: dict[int, tuple[str, str]] = {}
    for version in versions.defined(headers, strings):
        if not version.flags & layout.VER_FLG_BASE:
            image.versions_defined.append(version.name)
            indices[version.index] = "", version.name
    for need in versions.needed(headers, strings):
        image.versions_needed.setdefault(need.file, []).extend(version.name for version in need.versions)
        indices.update({version.index: (need.file, version.name) for version in need.versions})
    image.symbols = symbols.read(headers, strings, indices)
    image.sections = _section_names(headers)
    return image


def _kind(headers: Headers) -> str:
    """The kind. A position-independent program is a shared object with an interpreter and without a SONAME (libc has
    both)."""
    if headers.type == layout.ET_EXEC or (headers.value(layout.DT_FLAGS_1) or 0) & layout.DF_1_PIE:
        return "executable"
    interpreted = any(segment.kind == layout.PT_INTERP for segment in headers.segments)
    return "executable" if interpreted and headers.value(layout.DT_SONAME) is None else "shared"


def _section_names(headers: Headers) -> list[str]:
    sections = headers.sections()
    if not headers.section_names < len(sections):
        return []
    table = sections[headers.section_names]
    try:
        names = Strings(headers, headers.source.bytes(table.offset, table.size, "table of section names"))
        return [names.get(section.name) for section in sections]
    except ElfError:  # they are not needed at run time
        return []
