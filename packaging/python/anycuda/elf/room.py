"""Room for one more program header, right behind those that a file has.

They stay where they are: kernels before 5.18 tell a program where they lie by the first segment alone, and strip
writes them there whatever it finds. What is behind them moves to the appended segment instead, if it is
something that is found through a header or the dynamic section: notes, the interpreter's name, hash, symbol and
version tables.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from . import layout, symbols
from .draft import Draft
from .headers import Segment

_FOUND_BY_HEADER = (layout.PT_NOTE, layout.PT_INTERP, layout.PT_GNU_PROPERTY)


@dataclass
class _Block:
    """A range of the file, and what says where it is: segments by number, entries of the dynamic section by tag."""

    start: int
    end: int
    segments: list[int] = field(default_factory=list)
    tags: list[int] = field(default_factory=list)


def make(draft: Draft) -> None:
    """Moves what is in the way, if anything is; also for those headers that patchelf would add after us, where that
    is easily done: in a file whose sections are not in order it writes over what is behind the table."""
    if _spare(draft) is not None:
        return
    notes = sum(section.kind == layout.SHT_NOTE for section in draft.sections)
    for count, with_dynamic in ((2 + notes, False), (1, False), (1, True)):
        start = draft.headers.segments_at + layout.SEGMENT.size * len(draft.segments)
        end = start + layout.SEGMENT.size * count
        blocks = [block for block in _merged(_blocks(draft)) if block.start < end and block.end > start]
        free = [*draft.left, *((block.start, block.end) for block in blocks)]
        if with_dynamic:
            free.append((draft.headers.dynamic.offset, draft.headers.dynamic.offset + draft.headers.dynamic.in_file))
        if _is_free(draft, start, end, free):
            draft.moves_dynamic = draft.moves_dynamic or with_dynamic
            for block in blocks:
                _move(draft, block)
            return
    raise draft.headers.error("no room for another program header: what lies behind those that it has cannot be moved")


def add_segment(draft: Draft, flags: int) -> None:
    """All that has been appended, as a segment. Nothing can be appended after it."""
    size = len(draft.tail)
    added = Segment(layout.PT_LOAD, flags, draft.start, draft.address, draft.address, size, size, draft.page)
    spare = _spare(draft)
    if spare is not None:
        draft.segments[spare] = added
        return
    draft.segments.append(added)
    length = layout.SEGMENT.size * len(draft.segments)
    draft.segments = [segment._replace(in_file=length, in_memory=length) if segment.kind == layout.PT_PHDR else segment
                      for segment in draft.segments]


def _spare(draft: Draft) -> int | None:
    """A program header that means nothing. Loaded segments must be in the order of their addresses."""
    last = max((i for i, segment in enumerate(draft.segments) if segment.kind == layout.PT_LOAD), default=-1)
    return next((i for i, segment in enumerate(draft.segments) if segment.kind == 0 and i > last), None)


def _blocks(draft: Draft) -> list[_Block]:
    found = draft.headers
    blocks = [_Block(segment.offset, segment.offset + segment.in_file, [number])
              for number, segment in enumerate(draft.segments) if segment.kind in _FOUND_BY_HEADER]
    for tag, size in symbols.extents(found).items():
        address = found.value(tag)
        assert address is not None  # it has a size
        offset = found.offset(address, size, "tables")
        if (tag, address) in draft.slots:  # else it has moved already
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


def _is_free(draft: Draft, start: int, end: int, free: list[tuple[int, int]]) -> bool:
    """Whether every byte of the range is in something that moves, or in nothing at all."""
    segment = next((s for s in draft.headers.loads if 0 <= draft.headers.segments_at - s.offset < s.in_file), None)
    if segment is None or end > segment.offset + segment.in_file:
        return False
    data = draft.source.bytes(start, end - start, "program headers")
    used = [(s.offset, s.offset + s.size) for s in draft.headers.sections() if s.kind not in (0, layout.SHT_NOBITS)]
    used += [(s.offset, s.offset + s.in_file) for s in draft.headers.segments
             if s.kind not in (layout.PT_LOAD, layout.PT_PHDR, *_FOUND_BY_HEADER)]
    for offset in range(start, end):
        if not any(first <= offset < last for first, last in free):
            # Without section headers only zeros are surely nothing.
            known = draft.sections or not data[offset - start]
            if not known or any(first <= offset < last for first, last in used):
                return False
    return True


def _move(draft: Draft, block: _Block) -> None:
    found = draft.headers
    data = draft.current(block.start, block.end - block.start, "tables")
    # As far from a multiple of 64 as before: alignment is kept, whatever the parts want.
    draft.append(b"", 64)
    address = draft.append(bytes(block.start % 64) + data, 64) + block.start % 64
    for number in block.segments:
        segment = draft.segments[number]
        place = address + segment.offset - block.start
        draft.segments[number] = segment._replace(offset=draft.offset(place), address=place, physical=place)
    for tag in block.tags:
        value = found.value(tag)
        assert value is not None
        draft.set(tag, address + found.offset(value, 1, "tables") - block.start)
    draft.move_sections(block.start, block.end, address)
