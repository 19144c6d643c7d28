# SPDX-License-Identifier: Apache-2.0
"""Edits needs, names, search paths and version needs of a linked file, and undoes that byte for byte.

The new file is the old one with a few overwritten fields and one appended segment. The change is planned and checked
first, from the few parts of the file that matter; then it is written.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import BinaryIO

from .. import layout
from ..errors import failures
from ..headers import Headers
from ..read import opened
from ..source import Source
from . import dynamic_info, phdr_space, tables, undo_record, verify
from .dynamic_info import Edit
from .patch_set import PatchSet, Plan


@dataclass(frozen=True)
class Done:
    """`changed`: False if the file needed no change. `added`: the bytes by which this edit enlarged it."""

    changed: bool
    added: int = 0


def apply(path: os.PathLike[str] | str, edit: Edit) -> Done:
    """Edits the file in place; after an error it is unchanged. The caller must pass a copy, since this does not survive
    a loss of power."""
    with opened(path, "r+b") as file, failures(path):
        now = Source(file, str(path))
        record = undo_record.find(now)
        # A further edit starts from the original and applies all edits.
        base = undo_record.before(now, record) if record else now
        edits = [*record.edits, edit] if record else [edit]
        plan = _plan(base, edits)
        if not plan.fields or record and undo_record.digest_of_written(plan) == record.written_digest:
            return Done(False)
        kept = undo_record.make(base, plan, edits)
        old = record.fields if record else []
        _write(now, [*old, *plan.fields, (plan.start, plan.tail + kept)], plan.size + len(kept))
        return Done(True, plan.size + len(kept) - now.size)


def preview(path: os.PathLike[str] | str, edit: Edit) -> Done:
    """Would apply change the file? Raises its errors, except those of writing."""
    with opened(path) as file, failures(path):
        now = Source(file, str(path))
        record = undo_record.find(now)
        plan = _plan(undo_record.before(now, record) if record else now, [*record.edits, edit] if record else [edit])
        return Done(bool(plan.fields) and not (record and undo_record.digest_of_written(plan) == record.written_digest))


def undo(path: os.PathLike[str] | str) -> Done:
    """Restores the file to its state before the first edit, byte for byte."""
    with opened(path, "r+b") as file, failures(path):
        now = Source(file, str(path))
        record = undo_record.find(now)
        if record is None:
            return Done(False)
        if undo_record.digest(undo_record.before(now, record)) != record.digest:
            raise now.error("cannot be restored, since another program changed it after anycuda patched it: use the "
                            "original file")
        _write(now, record.fields, record.size)
        return Done(True, record.size - now.size)


def is_edited(path: os.PathLike[str] | str) -> bool:
    with opened(path) as file, failures(path):
        return undo_record.find(Source(file, str(path))) is not None


def _write(now: Source, changes: list[tuple[int, bytes]], size: int) -> None:
    """Makes the changes in order; if one fails, restores the old bytes."""
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
    """The bytes to write. Pure."""
    headers = Headers(source)
    _check(headers)
    strings = headers.strings()
    wanted = dynamic_info.read(headers, strings)
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
        raise headers.error("truncated or damaged: its section headers cannot be read")
    # A segment without bytes in the file (lld's PT_TLS of zeros) may have any offset.
    ends = [segment.offset + segment.in_file for segment in headers.segments if segment.in_file]
    ends += [section.offset + section.size for section in headers.sections() if section.kind != layout.SHT_NOBITS]
    ends.append(headers.sections_at + layout.SECTION.size * len(headers.sections()))
    end = max(end for end in ends)
    if end > source.size:
        raise headers.error(f"truncated or damaged: a section ends at byte {end}, the file at {source.size}")
    for offset in range(end, source.size, 1 << 20):
        if source.bytes(offset, min(1 << 20, source.size - offset), "end").strip(b"\0"):
            raise headers.error(f"cannot be edited: it has {source.size - end} bytes after its last section, such as "
                                "an archive that it unpacks, and would no longer find them at its end")
