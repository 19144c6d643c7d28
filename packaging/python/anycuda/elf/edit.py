# SPDX-License-Identifier: Apache-2.0
"""Editing a linked file: other needs, names, search paths and version needs; and undoing that byte for byte.

A new file is the old one with a few fields overwritten and one segment appended. What that is, is planned and
checked first, from what little of the file it takes; then it is written.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import BinaryIO

from . import dynamic_info, layout, phdr_space, record, tables, verify
from .dynamic_info import Edit
from .errors import failures
from .headers import Headers
from .patch_set import PatchSet, Plan
from .read import opened
from .source import Source

__all__ = ["Done", "Edit", "apply", "is_edited", "preview", "undo"]


@dataclass(frozen=True)
class Done:
    """`changed` is False where the file was as wanted; `added` is by how many bytes it grew in this edit."""

    changed: bool
    added: int = 0


def apply(path: os.PathLike | str, edit: Edit) -> Done:
    """Edits the file in its place; on any error it is as it was. The caller works on a copy: nothing here
    protects from a loss of power."""
    with opened(path, "r+b") as file, failures(path):
        now = Source(file, str(path))
        known = record.find(now)
        # An edited file is edited anew from what it was, with all that it was edited for.
        base = record.before(now, known) if known else now
        edits = [*known.edits, edit] if known else [edit]
        plan = _plan(base, edits)
        if not plan.fields or known and record.ours(plan) == known.ours:
            return Done(False)
        kept = record.make(base, plan, edits)
        old = known.fields if known else []
        _write(now, [*old, *plan.fields, (plan.start, plan.tail + kept)], plan.size + len(kept))
        return Done(True, plan.size + len(kept) - now.size)


def preview(path: os.PathLike | str, edit: Edit) -> Done:
    """Whether apply would change the file; raises what it would raise, but for what the system says to writing."""
    with opened(path) as file, failures(path):
        now = Source(file, str(path))
        known = record.find(now)
        plan = _plan(record.before(now, known) if known else now, [*known.edits, edit] if known else [edit])
        return Done(bool(plan.fields) and not (known and record.ours(plan) == known.ours))


def undo(path: os.PathLike | str) -> Done:
    """The file as it was before the first edit, byte for byte."""
    with opened(path, "r+b") as file, failures(path):
        now = Source(file, str(path))
        known = record.find(now)
        if known is None:
            return Done(False)
        if record.digest(record.before(now, known)) != known.digest:
            raise now.error("was changed by something else after anycuda patched it, so that cannot be undone")
        _write(now, known.fields, known.size)
        return Done(True, known.size - now.size)


def is_edited(path: os.PathLike | str) -> bool:
    with opened(path) as file, failures(path):
        return record.find(Source(file, str(path))) is not None


def _write(now: Source, changes: list[tuple[int, bytes]], size: int) -> None:
    """Makes the changes in their order. What was there is put back if one fails."""
    file = now.file
    saved = [(at, now.bytes(at, min(len(new), now.size - at), "old bytes")) for at, new in changes if at < now.size]
    if size < now.size:
        saved.append((size, now.bytes(size, now.size - size, "old bytes")))
    try:
        for at, new in changes:
            _put(file, at, new)
        file.truncate(size)
    except BaseException:
        for at, old in saved:
            _put(file, at, old)
        file.truncate(now.size)
        raise


def _put(file: BinaryIO, at: int, new: bytes) -> None:
    file.seek(at)
    rest = memoryview(new)
    while rest:
        rest = rest[file.write(rest):]


def _plan(source: Source, edits: list[Edit]) -> Plan:
    """Pure: what to write."""
    headers = Headers(source)
    _check(headers)
    strings = headers.strings()
    wanted = dynamic_info.of(headers, strings)
    for edit in edits:
        wanted = dynamic_info.edited(wanted, edit, headers, strings)
    patch_set = PatchSet(headers)
    tables.write(patch_set, wanted, strings)
    if patch_set.tail or not tables.has_slots(patch_set):
        phdr_space.make(patch_set)
        phdr_space.add_segment(patch_set, tables.write_dynamic(patch_set))
    else:
        tables.write_dynamic(patch_set)
    plan = patch_set.plan()
    verify.check(source, plan, wanted)
    return plan


def _check(headers: Headers) -> None:
    source = headers.source
    if sum(segment.kind == layout.PT_DYNAMIC for segment in headers.segments) > 1:
        raise headers.error("damaged: it has several dynamic sections")
    if headers.sections_at and not headers.sections():
        raise headers.error("its section headers cannot be read: truncated or damaged")
    # What is empty in the file (a PT_TLS of zeros, of lld) may have any place.
    ends = [segment.offset + segment.in_file for segment in headers.segments if segment.in_file]
    ends += [section.offset + section.size for section in headers.sections() if section.kind != layout.SHT_NOBITS]
    ends.append(headers.sections_at + layout.SECTION.size * len(headers.sections()))
    end = max(end for end in ends)
    if end > source.size:
        raise headers.error(f"truncated or damaged: a section ends at byte {end} of {source.size}")
    for offset in range(end, source.size, 1 << 20):
        if source.bytes(offset, min(1 << 20, source.size - offset), "bytes").strip(b"\0"):
            raise headers.error(f"has {source.size - end} bytes behind all that its headers know, such as an archive "
                                "that it unpacks: whoever looks for them at the end would not find them any more")
