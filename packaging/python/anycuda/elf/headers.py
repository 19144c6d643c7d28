# SPDX-License-Identifier: Apache-2.0
"""The header, segments and dynamic section of a file, which the dynamic linker reads."""

from __future__ import annotations

from typing import NamedTuple

from . import layout
from .errors import ElfError, NotElf
from .source import Source

# Real files have up to ten. Each is searched for every address.
_MOST_LOADS = 64


class Segment(NamedTuple):
    kind: int
    flags: int
    offset: int
    address: int
    physical: int
    in_file: int
    in_memory: int
    align: int


class Section(NamedTuple):
    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    align: int
    entry: int


class Headers:
    """The headers of a linked 64-bit little-endian file with a dynamic section. Addresses are those in memory."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._identify()
        (_, self.type, machine, _, self.entry, self.segments_at, self.sections_at, _, _, size, count,
         self.section_size, self.section_count, self.section_names) = source.record(layout.HEADER, 0, "header")
        self.machine = layout.MACHINES.get(machine, f"machine {machine}")
        if self.type not in (layout.ET_EXEC, layout.ET_DYN):
            kind = layout.TYPES.get(self.type, f"its ELF type {self.type} is unknown")
            raise self.error(f"not a program or shared library: {kind}")
        if size != layout.SEGMENT.size or not 0 < count < layout.PN_XNUM:
            raise self.error(f"damaged: it claims {count} program headers of {size} bytes each")
        table = source.bytes(self.segments_at, size * count, "table of program headers")
        self.segments = [Segment(*record) for record in layout.SEGMENT.iter_unpack(table)]
        self.loads = [s for s in self.segments if s.kind == layout.PT_LOAD]
        self._check_segments()
        self._read_dynamic()

    def error(self, text: str) -> ElfError:
        return self.source.error(text)

    def _identify(self) -> None:
        start = self.source.bytes(0, min(self.source.size, layout.HEADER.size), "header")
        if start[:4] != b"\x7fELF":
            what = "an empty file" if not start else "not an ELF file"
            raise NotElf(f"{self.source.name}: {what}")
        if len(start) < layout.HEADER.size:
            raise self.error(f"truncated: it has {len(start)} bytes, fewer than an ELF header")
        if start[4] != 2:
            raise self.error("a 32-bit file; CUDA supports only 64-bit "
                             "files" if start[4] == 1 else "damaged ELF header")
        if start[5] != 1:
            raise self.error("a big-endian file; CUDA supports only little-endian files" if start[5] == 2 else
                             "damaged ELF header")

    def _check_segments(self) -> None:
        if len(self.loads) > _MOST_LOADS:
            raise self.error(f"damaged: it claims {len(self.loads)} segments to load, more than any real file has")
        for segment in self.loads:
            if segment.in_file and segment.offset + segment.in_file > self.source.size:
                raise self.error(f"truncated: a segment ends at byte {segment.offset + segment.in_file}, "
                                 f"the file at {self.source.size}")
            if segment.in_memory < segment.in_file or segment.address + segment.in_memory >= 1 << 63:
                raise self.error("damaged: a segment is larger in the file than in memory, or its address is invalid")
        if sum(segment.in_file for segment in self.loads) > 2 * self.source.size:
            raise self.error("damaged: its segments overlap in the file")

    def _read_dynamic(self) -> None:
        dynamic = [s for s in self.segments if s.kind == layout.PT_DYNAMIC]
        if not dynamic or not dynamic[0].in_file:
            raise self.error("no dynamic section: a statically linked program, or a file with only debug information")
        self.dynamic = dynamic[0]
        table = self.source.bytes(self.dynamic.offset, self.dynamic.in_file // 16 * 16, "dynamic section")
        #: Every entry, including the spare ones after the first DT_NULL.
        self.slots = list(layout.DYNAMIC.iter_unpack(table))
        self.used = next((i for i, (tag, _) in enumerate(self.slots) if tag == layout.DT_NULL), len(self.slots))

    def values(self, tag: int) -> list[int]:
        return [value for other, value in self.slots[: self.used] if other == tag]

    def value(self, tag: int) -> int | None:
        """The value of a tag; its last entry counts, as for the dynamic linker."""
        return next(iter(self.values(tag)[::-1]), None)

    def offset(self, address: int, length: int, what: str) -> int:
        """The offset in the file of the bytes at an address."""
        for segment in self.loads:
            inside = address - segment.address
            if 0 <= inside and inside + length <= segment.in_file:
                return segment.offset + inside
        raise self.error(f"damaged: its {what} at address {address:#x} is in no segment of the file")

    def at(self, address: int, length: int, what: str) -> bytes:
        return self.source.bytes(self.offset(address, length, what), length, what)

    def strings(self) -> Strings:
        address, size = self.value(layout.DT_STRTAB), self.value(layout.DT_STRSZ)
        if address is None or size is None:
            raise self.error("damaged: its dynamic section has no string table")
        return Strings(self, self.at(address, size, "string table"))

    def sections(self) -> list[Section]:
        """The section headers; empty if they were stripped or cannot be read. They are not needed at run time."""
        if not self.sections_at or self.section_size != layout.SECTION.size:
            return []
        try:
            count = self.section_count or self.source.record(layout.SECTION, self.sections_at, "section header")[5]
            table = self.source.bytes(self.sections_at, count * layout.SECTION.size, "table of section headers")
        except ElfError:
            return []
        return [Section(*record) for record in layout.SECTION.iter_unpack(table)]


class Strings:
    """The string table of the dynamic section. Names may be paths, so bytes that are not UTF-8 are kept."""

    # Names may overlap, so a hostile table could expand to more text than fits into memory.
    _MOST = 1 << 27

    def __init__(self, headers: Headers, table: bytes) -> None:
        self.headers, self.table, self.given = headers, table, 0

    def get(self, offset: int) -> str:
        end = self.table.find(b"\0", offset) if offset < len(self.table) else -1
        if end < 0:
            raise self.headers.error(f"damaged: the name at byte {offset} of its string table does not end in the "
                                     f"table, which has {len(self.table)} bytes")
        self.given += end - offset
        if self.given > self._MOST:
            raise self.headers.error("damaged: its names are longer than in any real file")
        return self.table[offset:end].decode("utf-8", "surrogateescape")
