# SPDX-License-Identifier: Apache-2.0
"""The undo record at the end of an edited file, from which the original can be restored.

It is JSON, followed by a foot of fixed length. No segment or section contains it, so a program that rewrites the file
(strip, patchelf) drops it or moves it away from the end; then the edit cannot be undone.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from struct import Struct

from ..errors import ElfError
from ..source import Source
from .dynamic_info import Edit
from .patch_set import Overlay, Plan

_MAGIC, _FORMAT = b"anycuda-undo\r\n\0\0", 1
_FOOT = Struct("<QI16s")  # length of the JSON, format, magic
_MOST = 1 << 22


@dataclass(frozen=True)
class UndoRecord:
    """`size` and `digest` (SHA-256): of the original file. `fields`: its overwritten bytes. `edits`: all edits since.
    `tail`: where the appended bytes begin. `written_digest`: of the written bytes, which shows later changes by other
    programs."""

    size: int
    digest: str
    fields: list[tuple[int, bytes]]
    edits: list[Edit]
    tail: int
    end: int
    written_digest: str


def make(source: Source, plan: Plan, edits: list[Edit]) -> bytes:
    """The record's bytes, to write at plan.size."""
    old = [(offset, source.bytes(offset, len(new), "overwritten bytes").hex()) for offset, new in plan.fields]
    text = json.dumps({
        "size": source.size,
        "sha256": digest(source),
        "overwritten": old,
        "tail": plan.start,
        "ours": digest_of_written(plan),
        "edits": [edit.as_json() for edit in edits],
    }).encode("ascii")
    return text + _FOOT.pack(len(text), _FORMAT, _MAGIC)


def find(source: Source) -> UndoRecord | None:
    """The record, or None; ElfError if it cannot be read or does not match the file."""
    if source.size < _FOOT.size:
        return None
    length, number, magic = source.record(_FOOT, source.size - _FOOT.size, "undo record")
    if magic != _MAGIC:
        return None
    if number != _FORMAT:
        raise source.error(f"its undo record has format {number} of a newer anycuda: use that version")
    if length > min(_MOST, source.size - _FOOT.size):
        raise source.error("its undo record is damaged: use the original file")
    end = source.size - _FOOT.size - length
    try:
        text = json.loads(source.bytes(end, length, "undo record"))
        record = UndoRecord(int(text["size"]), str(text["sha256"]),
                            [(int(at), bytes.fromhex(old)) for at, old in text["overwritten"]],
                            [Edit.from_json(edit) for edit in text["edits"]], int(text["tail"]), end,
                            str(text["ours"]))
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        if isinstance(error, ElfError):
            raise
        raise source.error(f"its undo record is damaged ({error!r}): use the original file") from None
    _check(source, record)
    return record


def _check(source: Source, record: UndoRecord) -> None:
    if not 0 <= record.size <= record.tail <= record.end or record.tail - record.size > 16:
        raise source.error("its undo record is damaged: use the original file")
    last = 0
    for offset, old in record.fields:
        if offset < last or offset + len(old) > record.size:
            raise source.error("its undo record is damaged: use the original file")
        last = offset + len(old)
    now = [source.bytes(offset, len(old), "overwritten bytes") for offset, old in record.fields]
    tail = source.bytes(record.tail, record.end - record.tail, "appended bytes")
    if _digest_of_written(now, tail) != record.written_digest:
        raise source.error("another program changed it after anycuda patched it, so the patch cannot be undone or "
                           "extended: use the original file")


def before(source: Source, record: UndoRecord) -> Source:
    """A view of the original file."""
    return Overlay(source, record.fields, record.size)


def digest(source: Source) -> str:
    """The digest of all bytes, read in pieces."""
    state = hashlib.sha256()
    for offset in range(0, source.size, 1 << 20):
        state.update(source.bytes(offset, min(1 << 20, source.size - offset), "content"))
    return state.hexdigest()


def digest_of_written(plan: Plan) -> str:
    return _digest_of_written([new for _, new in plan.fields], plan.tail)


def _digest_of_written(fields: list[bytes], tail: bytes) -> str:
    state = hashlib.sha256(b"".join(fields))
    state.update(tail)
    return state.hexdigest()
