# SPDX-License-Identifier: Apache-2.0
"""Collects the changes of an edit: bytes appended to a file, and fields to overwrite.

Nothing is written here. The appended bytes become one additional segment, so the file's content keeps its addresses,
except for parts that make room for that segment's program header.
"""

from __future__ import annotations

from dataclasses import dataclass

from .. import layout
from ..headers import Headers
from ..source import Source


def _aligned(value: int, to: int) -> int:
    return (value + to - 1) // to * to


@dataclass(frozen=True)
class Plan:
    """`fields`: (offset, bytes) inside the old file, disjoint and in order. `tail`: the bytes that begin at `start`."""

    fields: list[tuple[int, bytes]]
    start: int
    tail: bytes

    @property
    def size(self) -> int:
        return self.start + len(self.tail)


class Overlay(Source):
    """A view of a file with changed fields and a new tail."""

    def __init__(self, source: Source, fields: list[tuple[int, bytes]], size: int, tail: bytes = b"") -> None:
        self.under, self.name, self.file, self.size = source, source.name, source.file, size + len(tail)
        self.fields, self.end, self.tail = fields, size, tail

    def bytes(self, offset: int, length: int, what: str) -> bytes:
        self.check(offset, length, what)
        inside = max(0, min(length, self.end - offset))
        old = max(0, min(inside, self.under.size - offset))  # up to the tail's alignment there may be a gap
        data = bytearray(self.under.bytes(offset, old, what) if old else b"") + bytes(inside - old)
        for at, new in self.fields:
            first, last = max(at, offset), min(at + len(new), offset + inside)
            if first < last:
                data[first - offset: last - offset] = new[first - at: last - at]
        if inside < length:
            start = max(0, offset - self.end)
            data += self.tail[start: start + length - inside]
        return bytes(data)


class PatchSet:
    def __init__(self, headers: Headers) -> None:
        self.headers, self.source = headers, headers.source
        page = layout.PAGES.get(headers.machine)
        if page is None:
            raise headers.error(f"is for a CPU that anycuda does not support (ELF: {headers.machine})")
        self.page = page
        self.segments = list(headers.segments)
        self.sections = headers.sections()
        self.slots = list(headers.slots[: headers.used])
        self.fields: dict[int, bytes] = {}
        self.tail = bytearray()
        self.moves_dynamic = False
        #: Ranges of the file whose content moved to the tail.
        self.left: list[tuple[int, int]] = []
        self.start = _aligned(self.source.size, 16)
        end = max((s.address + s.in_memory for s in headers.loads), default=0)
        # An address and its file offset are equal modulo the page size.
        self.address = _aligned(end, page) + self.start % page

    def overwrite(self, offset: int, new: bytes) -> None:
        self.fields[offset] = new

    def current(self, offset: int, length: int, what: str) -> bytes:
        """Bytes of the file with the overwritten fields."""
        return Overlay(self.source, sorted(self.fields.items()), self.source.size).bytes(offset, length, what)

    def append(self, data: bytes, align: int = 8) -> int:
        """Appends bytes; returns their address."""
        self.tail += bytes(-(self.start + len(self.tail)) % align)
        address = self.address + len(self.tail)
        self.tail += data
        return address

    def offset(self, address: int) -> int:
        """The file offset of appended bytes."""
        return self.start + address - self.address

    def set(self, tag: int, value: int) -> None:
        """Sets every entry of this tag, or adds one at the end."""
        self.slots = [(other, value if other == tag else old) for other, old in self.slots]
        if all(other != tag for other, _ in self.slots):
            self.slots.append((tag, value))

    def move_sections(self, start: int, end: int, address: int) -> None:
        """Moves the sections that begin in a range of the file to `address`."""
        for number, section in enumerate(self.sections):
            if section.kind not in (0, layout.SHT_NOBITS) and start <= section.offset < end:
                self.sections[number] = section._replace(address=address + section.offset - start,
                                                         offset=self.offset(address) + section.offset - start)

    def section(self, kind: int, address: int) -> int | None:
        """The number of the section with this kind and address."""
        numbers = (i for i, s in enumerate(self.sections) if s.kind == kind and s.address == address)
        return next(numbers, None)

    def replace_section(self, kind: int, old: int, address: int, size: int, **more: int) -> None:
        number = self.section(kind, old)
        if number is not None:
            self.sections[number] = self.sections[number]._replace(
                address=address, offset=self.offset(address), size=size, **more)

    def plan(self) -> Plan:
        """All changes, including the tables of headers, as differences from the file."""
        headers = self.headers
        self.overwrite(headers.segments_at, b"".join(layout.SEGMENT.pack(*segment) for segment in self.segments))
        self.overwrite(56, len(self.segments).to_bytes(2, "little"))
        if self.sections:
            self.overwrite(headers.sections_at, b"".join(layout.SECTION.pack(*section) for section in self.sections))
        fields: list[tuple[int, bytes]] = []
        for offset, new in sorted(self.fields.items()):
            fields += _differences(offset, self.source.bytes(offset, len(new), "overwritten bytes"), new)
        for (offset, new), (following, _) in zip(fields, fields[1:]):
            if offset + len(new) > following:
                raise headers.error("damaged: two tables that the edit would change overlap")
        return Plan(fields, self.start, bytes(self.tail)) if self.tail else Plan(fields, self.source.size, b"")


def _differences(offset: int, old: bytes, new: bytes) -> list[tuple[int, bytes]]:
    """Runs of different bytes; runs with fewer than 8 equal bytes between them are merged."""
    runs: list[list[int]] = []
    for at in (i for i in range(len(new)) if old[i] != new[i]):
        if runs and at - runs[-1][1] < 8:
            runs[-1][1] = at + 1
        else:
            runs.append([at, at + 1])
    return [(offset + first, new[first:last]) for first, last in runs]
