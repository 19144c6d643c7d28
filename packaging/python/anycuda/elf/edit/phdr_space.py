# SPDX-License-Identifier: Apache-2.0
"""Makes room for one more program header directly after the existing ones.

The headers cannot move: kernels before 5.18 compute their address from the first segment, and strip always writes them
there. Instead, the content after them moves to the appended segment, if a header or the dynamic section points to it:
notes, the interpreter's name, hash, symbol and version tables.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .. import layout, symbols
from ..headers import Segment
from .patch_set import PatchSet

_FOUND_BY_HEADER = (layout.PT_NOTE, layout.PT_INTERP, layout.PT_GNU_PROPERTY)


@dataclass
class _Block:
    """A range of the file, and the pointers to it: segments by number, entries of the dynamic section by tag."""

    start: int
    end: int
    segments: list[int] = field(default_factory=list)
    tags: list[int] = field(default_factory=list)


def make(patch_set: PatchSet) -> None:
    """Moves content out of the way if necessary. Where it is easy, also makes room for headers that patchelf may add
    later: in a file with unordered sections patchelf overwrites the content after the table."""
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
        "cannot be edited: it has no room for another program header, since the content after the existing ones "
        "cannot be moved")


def add_segment(patch_set: PatchSet, flags: int) -> None:
    """Adds the appended bytes as a segment. Nothing may be appended afterwards."""
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
    """The number of an unused program header that keeps loaded segments in the order of their addresses."""
    last = max((i for i, segment in enumerate(patch_set.segments) if segment.kind == layout.PT_LOAD), default=-1)
    return next((i for i, segment in enumerate(patch_set.segments) if segment.kind == 0 and i > last), None)


def _blocks(patch_set: PatchSet) -> list[_Block]:
    headers = patch_set.headers
    blocks = [_Block(segment.offset, segment.offset + segment.in_file, [number])
              for number, segment in enumerate(patch_set.segments) if segment.kind in _FOUND_BY_HEADER]
    for tag, size in symbols.extents(headers).items():
        address = headers.value(tag)
        assert address is not None  # it has a size
        offset = headers.offset(address, size, "tables")
        if (tag, address) in patch_set.slots:  # otherwise it moved already
            blocks.append(_Block(offset, offset + size, tags=[tag]))
    return blocks


def _merged(blocks: list[_Block]) -> list[_Block]:
    """Merges overlapping blocks, which move together: the note for program properties is in two segments."""
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
    """Is every byte of the range movable or unused?"""
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
            # Without section headers only zeros are known to be unused.
            unused = patch_set.sections or not data[offset - start]
            if not unused or any(first <= offset < last for first, last in used):
                return False
    return True


def _move(patch_set: PatchSet, block: _Block) -> None:
    headers = patch_set.headers
    data = patch_set.current(block.start, block.end - block.start, "tables")
    # Keeps the offset modulo 64, so that all parts keep their alignment.
    patch_set.append(b"", 64)
    address = patch_set.append(bytes(block.start % 64) + data, 64) + block.start % 64
    for number in block.segments:
        segment = patch_set.segments[number]
        place = address + segment.offset - block.start
        patch_set.segments[number] = segment._replace(offset=patch_set.offset(place), address=place, physical=place)
    for tag in block.tags:
        value = headers.value(tag)
        assert value is not None
        patch_set.set(tag, address + headers.offset(value, 1, "tables") - block.start)
    patch_set.move_sections(block.start, block.end, address)
