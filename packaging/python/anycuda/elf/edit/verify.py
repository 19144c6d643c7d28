# SPDX-License-Identifier: Apache-2.0
"""Checks that a plan makes exactly the requested changes, by reading the new state before it is written."""

from __future__ import annotations

from .. import layout, symbols, versions
from ..errors import ElfError
from ..headers import Headers, Segment
from ..source import Source
from . import dynamic_info
from .dynamic_info import DynamicInfo
from .patch_set import Overlay, Plan

_READ_BY_OTHERS = (layout.PT_NOTE, layout.PT_INTERP, layout.PT_GNU_PROPERTY)
_MOVABLE = (*_READ_BY_OTHERS, layout.PT_DYNAMIC, layout.PT_PHDR, 0)
# Entries of the dynamic section whose content other checks compare.
_RELOCATED = {layout.DT_STRTAB, layout.DT_STRSZ, layout.DT_NEEDED, layout.DT_SONAME, layout.DT_RPATH, layout.DT_RUNPATH,
              layout.DT_VERNEED, layout.DT_VERNEEDNUM, layout.DT_VERDEF, layout.DT_VERSYM, layout.DT_SYMTAB,
              layout.DT_HASH, layout.DT_GNU_HASH}


def check(source: Source, plan: Plan, wanted: DynamicInfo) -> None:
    """Raises ElfError if the planned file differs from the requested one."""
    try:
        new = Headers(Overlay(source, plan.fields, plan.start, plan.tail))
        problem = _problem(Headers(source), new, wanted)
    except ElfError as error:
        raise ElfError(f"{source.name}: internal check failed: the edited file would be damaged ({error}); the file is "
                       "unchanged. Please report this bug of anycuda") from None
    if problem:
        raise source.error(f"internal check failed: the edited file would have {problem}; the file is unchanged. "
                           "Please report this bug of anycuda")


def _problem(old: Headers, new: Headers, wanted: DynamicInfo) -> str:
    strings = new.strings()
    info = dynamic_info.read(new, strings)
    if _names(info) != _names(wanted):
        return "wrong DT_NEEDED, SONAME or RPATH entries"
    if _versions(info.needs) != _versions(wanted.needs):
        return "wrong entries for the symbol versions that it needs"
    old_strings = old.strings()
    if [version.name for version in versions.defined(new, strings)][bool(wanted.base):] != [
            version.name for version in versions.defined(old, old_strings)][bool(wanted.base):]:
        return "different version definitions"
    if strings.table[: len(old_strings.table)] != old_strings.table:
        return "different symbol names"
    return _other_symbols(old, new, wanted) or _other_segments(old, new) or _other_entries(old, new)


def _names(info: DynamicInfo) -> tuple[list[str], str | None, str | None, str | None]:
    return info.needed, info.soname, info.rpath, info.runpath


def _versions(needs: list[versions.Need]) -> list[tuple[str, list[tuple[str, int, int]]]]:
    return [(need.file, [(version.name, version.index, version.flags) for version in need.versions]) for need in needs]


def _other_symbols(old: Headers, new: Headers, wanted: DynamicInfo) -> str:
    table, indices = symbols.tables(old)
    expected = bytearray(indices)
    for number, index in wanted.indices.items():
        expected[2 * number: 2 * number + 2] = index.to_bytes(2, "little")
    if symbols.tables(new) != (table, bytes(expected)):
        return "different symbols or symbol versions"
    extents = symbols.extents(old)
    for tag in (layout.DT_HASH, layout.DT_GNU_HASH):
        before, after = old.value(tag), new.value(tag)
        if before is not None and (after is None or old.at(before, extents[tag], "hash table")
                                   != new.at(after, extents[tag], "hash table")):
            return "a different hash table"
    return ""


def _other_segments(old: Headers, new: Headers) -> str:
    """Checks that loaded segments are unchanged except for one new segment, and that moved content is equal."""
    if len(new.segments) - len(old.segments) not in (0, 1):
        return "a wrong number of segments"
    for before, after in zip(old.segments, new.segments):
        if before == after:
            continue
        if before.kind not in _MOVABLE:
            return "a different segment"
        if before.kind in _READ_BY_OTHERS and _bytes(old, before) != _bytes(new, after):
            return "a different note or program interpreter"
    ends = sorted((s.address, s.address + s.in_memory) for s in new.loads)
    if len(new.loads) > len(old.loads) and any(end > start for (_, end), (start, _) in zip(ends, ends[1:])):
        return "overlapping segments"
    return ""


def _bytes(headers: Headers, segment: Segment) -> bytes:
    data = headers.source.bytes(segment.offset, segment.in_file, "segment")
    # The dynamic linker finds it by its address.
    return data if not headers.loads or headers.at(segment.address, segment.in_file, "segment") == data else b""


def _other_entries(old: Headers, new: Headers) -> str:
    """Checks that all other entries of the dynamic section are unchanged, in order."""
    before = [slot for slot in old.slots[: old.used] if slot[0] not in _RELOCATED]
    after = [slot for slot in new.slots[: new.used] if slot[0] not in _RELOCATED]
    return "" if before == after else "a different dynamic section"
