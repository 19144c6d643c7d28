# SPDX-License-Identifier: Apache-2.0
"""Room for one more program header, right behind those that a file has.

They stay where they are: kernels before 5.18 tell a program where they lie by the first segment alone, and strip
writes them there whatever it finds. What is behind them moves to the appended segment instead, if it is
something that is found through a header or the dynamic section: notes, the interpreter's name, hash, symbol and
version tables.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from . import layout, symbols
from .headers import Segment
from .patch_set import PatchSet

_FOUND_BY_HEADER = (layout.PT_NOTE, layout.PT_INTERP, layout.PT_GNU_PROPERTY)


@dataclass
class _Block:
    """A range of the file, and what says where it is: segments by number, entries of the dynamic section by tag."""

    start: int
    end: int
    segments: list[int] = field(default_factory=list)
    tags: list[int] = field(default_factory=list)


def make(patch_set: PatchSet) -> None:
    """Moves what is in the way, if anything is; also for those headers that patchelf would add after us, where that
    is easily done: in a file whose sections are not in order it writes over what is behind the table."""
    if _spare(patch_set) is not None:
        return
    notes = sum(section.kind == layout.SHT_NOTE for section in patch_set.sections)
    for count, with_dynamic in ((2 + notes, False), (1, False), (1, True)):
        start = patch_set.headers.segments_at + layout.SEGMENT.size * len(patch_set.segments)
        end = start + layout.SEGMENT.size * count
        blocks = [block for block in _merged(_blocks(patch_set)) if block.start < end and block.end > start]
        free = [*patch_set.left, *((block.start, block.end) for block in blocks)]
        if with_dynamic:
            dynamic = patch_set.headers.dynamic
            free.append((dynamic.offset, dynamic.offset + dynamic.in_file))
        if _is_free(patch_set, start, end, free):
            patch_set.moves_dynamic = patch_set.moves_dynamic or with_dynamic
            for block in blocks:
                _move(patch_set, block)
            return
    raise patch_set.headers.error(
        "no room for another program header: what lies behind those that it has cannot be moved")


def add_segment(patch_set: PatchSet, flags: int) -> None:
    """All that has been appended, as a segment. Nothing can be appended after it."""
    size = len(patch_set.tail)
    added = Segment(layout.PT_LOAD, flags, patch_set.start, patch_set.address, patch_set.address, size, size,
                    patch_set.page)
    spare = _spare(patch_set)
    if spare is not None:
        patch_set.segments[spare] = added
        return
    patch_set.segments.append(added)
    length = layout.SEGMENT.size * len(patch_set.segments)
    patch_set.segments = [
        segment._replace(in_file=length, in_memory=length) if segment.kind == layout.PT_PHDR else segment
        for segment in patch_set.segments]


def _spare(patch_set: PatchSet) -> int | None:
    """A program header that means nothing. Loaded segments must be in the order of their addresses."""
    last = max((i for i, segment in enumerate(patch_set.segments) if segment.kind == layout.PT_LOAD), default=-1)
    return next((i for i, segment in enumerate(patch_set.segments) if segment.kind == 0 and i > last), None)


def _blocks(patch_set: PatchSet) -> list[_Block]:
    found = patch_set.headers
    blocks = [_Block(segment.offset, segment.offset + segment.in_file, [number])
              for number, segment in enumerate(patch_set.segments) if segment.kind in _FOUND_BY_HEADER]
    for tag, size in symbols.extents(found).items():
        address = found.value(tag)
        assert address is not None  # it has a size
        offset = found.offset(address, size, "tables")
        if (tag, address) in patch_set.slots:  # else it has moved already
            blocks.append(_Block(offset, offset + size, tags=[tag]))
    return blocks


def _merged(blocks: list[_Block]) -> list[_Block]:
    """What overlaps moves as one: a note for properties of the program is in two segments."""
    result: list[_Block] = []
    for block in sorted(blocks, key=lambda block: block.start):
        if result and block.start < result[-1].end:
            last = result[-1]
            last.end = max(last.end, block.end)
            last.segments += block.segments
            last.tags += block.tags
        else:
            result.append(block)
    return result


def _is_free(patch_set: PatchSet, start: int, end: int, free: list[tuple[int, int]]) -> bool:
    """Whether every byte of the range is in something that moves, or in nothing at all."""
    headers = patch_set.headers
    segment = next((s for s in headers.loads if 0 <= headers.segments_at - s.offset < s.in_file), None)
    if segment is None or end > segment.offset + segment.in_file:
        return False
    data = patch_set.source.bytes(start, end - start, "program headers")
    used = [(s.offset, s.offset + s.size) for s in patch_set.headers.sections() if s.kind not in (0, layout.SHT_NOBITS)]
    used += [(s.offset, s.offset + s.in_file) for s in patch_set.headers.segments
             if s.kind not in (layout.PT_LOAD, layout.PT_PHDR, *_FOUND_BY_HEADER)]
    for offset in range(start, end):
        if not any(first <= offset < last for first, last in free):
            # Without section headers only zeros are surely nothing.
            known = patch_set.sections or not data[offset - start]
            if not known or any(first <= offset < last for first, last in used):
                return False
    return True


def _move(patch_set: PatchSet, block: _Block) -> None:
    found = patch_set.headers
    data = patch_set.current(block.start, block.end - block.start, "tables")
    # As far from a multiple of 64 as before: alignment is kept, whatever the parts want.
    patch_set.append(b"", 64)
    address = patch_set.append(bytes(block.start % 64) + data, 64) + block.start % 64
    for number in block.segments:
        segment = patch_set.segments[number]
        place = address + segment.offset - block.start
        patch_set.segments[number] = segment._replace(offset=patch_set.offset(place), address=place, physical=place)
    for tag in block.tags:
        value = found.value(tag)
        assert value is not None
        patch_set.set(tag, address + found.offset(value, 1, "tables") - block.start)
    patch_set.move_sections(block.start, block.end, address)
