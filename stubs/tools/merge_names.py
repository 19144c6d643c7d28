# SPDX-License-Identifier: Apache-2.0
"""Writes each name of a shared library once, and takes the pages that this frees out of the file.

lld writes the name of a symbol again for each of its versions. A stub has most names in four versions, so that two
thirds of its dynamic string table (DT_STRTAB) are repetitions. The table lies within a segment, whose later parts
cannot move: code refers to their addresses. So the segment becomes two, before and after the free pages. The second
takes the program header of PT_PHDR, which a shared library does not need. A file of which no whole page becomes free
stays as it is.

    PYTHONPATH=packaging/python python3 stubs/tools/merge_names.py LIBRARY
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from struct import Struct
from typing import NamedTuple

from anycuda.elf import layout, versions
from anycuda.elf.errors import ElfError
from anycuda.elf.headers import Headers, Section, Segment, Strings
from anycuda.elf.source import Source

_WORD = Struct("<I")
_STRING_TAGS = (layout.DT_NEEDED, layout.DT_SONAME, layout.DT_RPATH, layout.DT_RUNPATH)


class _Field(NamedTuple):
    """A field of the file that holds a name's place in the table. (The upper half of a 64-bit field is zero.)"""

    at: int
    name: str


def _dynamic(headers: Headers) -> Iterator[tuple[int, int, int]]:
    """The place, the tag and the value of each entry."""
    for number, (tag, value) in enumerate(headers.slots[: headers.used]):
        yield headers.dynamic.offset + number * layout.DYNAMIC.size, tag, value


def _fields(headers: Headers, strings: Strings, symbols: Section) -> Iterator[_Field]:
    for at in range(symbols.offset, symbols.offset + symbols.size, layout.SYMBOL.size):
        yield _Field(at, strings.get(headers.source.record(layout.SYMBOL, at, "symbol")[0]))
    for at, tag, value in _dynamic(headers):
        if tag in _STRING_TAGS:
            yield _Field(at + 8, strings.get(value))

    def place(address: int) -> int:
        return headers.offset(address, 4, "symbol versions")

    for version in versions.defined(headers, strings):
        record = layout.VERDEF.unpack(headers.at(version.at, layout.VERDEF.size, "symbol version"))
        count, names = record[3], record[5]
        if count != 1:
            raise headers.error(f"its symbol version {version.name} has a parent, whose name would be lost")
        yield _Field(place(version.at + names), version.name)
    for need in versions.needed(headers, strings):
        yield _Field(place(need.at + 4), need.file)
        for version in need.versions:
            yield _Field(place(version.at + 8), version.name)


def merged(path: Path) -> bytes:
    """The file with each name once."""
    with path.open("rb") as file:
        headers = Headers(Source(file, path.name))
        sections = headers.sections()
        table = next(section for section in sections if section.address == headers.value(layout.DT_STRTAB))
        symbols = next(section for section in sections if section.kind == layout.SHT_DYNSYM)
        places: dict[str, int] = {"": 0}
        names = bytearray(1)
        values: list[tuple[int, int]] = []
        for field in _fields(headers, headers.strings(), symbols):
            if field.name not in places:
                places[field.name] = len(names)
                names += os.fsencode(field.name) + b"\0"
            values.append((field.at, places[field.name]))
        values += [(at + 8, len(names)) for at, tag, _ in _dynamic(headers) if tag == layout.DT_STRSZ]
        file.seek(0)
        before = file.read()
    data = bytearray(before)
    for at, value in values:
        _WORD.pack_into(data, at, value)
    data[table.offset:table.offset + table.size] = names.ljust(table.size, b"\0")
    return _without_pages(data, headers, sections, table, len(names)) or before


def _without_pages(data: bytearray, headers: Headers, sections: list[Section], table: Section,
                   size: int) -> bytes | None:
    """The file, less the whole pages behind the first `size` bytes of the table; None if no page is free."""
    whole = next(load for load in headers.loads if load.offset <= table.offset < load.offset + load.in_file)
    after = min(section.offset for section in sections if section.offset >= table.offset + table.size)
    removed = (after - table.offset - size) // whole.align * whole.align
    if not removed:
        return None
    spare = next((old for old in headers.segments if old.kind == layout.PT_PHDR), None)
    if spare is None:
        raise headers.error("it has no program header of the type PT_PHDR, whose place the second segment needs")

    def moved(offset: int) -> int:
        return offset - removed if offset >= after else offset

    def segment(old: Segment) -> Segment:
        if old is spare:
            length = table.offset + size - whole.offset
            return whole._replace(in_file=length, in_memory=length)
        if old is whole:
            skipped = after - whole.offset
            return whole._replace(offset=moved(after), address=whole.address + skipped,
                                  physical=whole.physical + skipped, in_file=whole.in_file - skipped,
                                  in_memory=whole.in_memory - skipped)
        return old._replace(offset=moved(old.offset))

    for number, old in enumerate(headers.segments):
        layout.SEGMENT.pack_into(data, headers.segments_at + number * layout.SEGMENT.size, *segment(old))
    for number, section in enumerate(sections):
        section = section._replace(offset=moved(section.offset), size=size if section == table else section.size)
        layout.SECTION.pack_into(data, headers.sections_at + number * layout.SECTION.size, *section)
    header = list(layout.HEADER.unpack_from(data))
    header[6] = moved(headers.sections_at)
    layout.HEADER.pack_into(data, 0, *header)
    return bytes(data[:after - removed] + data[after:])


def main() -> int:
    path = Path(sys.argv[1])
    try:
        smaller = merged(path)
    except (ElfError, OSError) as error:
        print(f"merge_names.py: {error}", file=sys.stderr)
        return 1
    new = path.with_name(f"{path.name}.merging")
    new.write_bytes(smaller)
    new.chmod(path.stat().st_mode)
    os.replace(new, path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
