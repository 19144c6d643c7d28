# SPDX-License-Identifier: Apache-2.0
"""The mark in a stub (compat/base/log.cc): an ELF note with flags, which is changed in place.

A quiet stub writes messages only if ANYCUDA_LOG is set.
"""

from __future__ import annotations

import io
import struct
from pathlib import Path

from . import layout, read
from .errors import failures
from .headers import Headers
from .source import Source

_NOTE = struct.pack("<III8s", 8, 4, 1, b"anycuda")
_FLAGS = struct.Struct("<I")
_QUIET = 1


def is_quiet(path: Path) -> bool:
    """Is the stub quiet? False for files without a mark, such as stubs of older releases."""
    with read.opened(path) as file, failures(path):
        source = Source(file, str(path))
        return any(_flags(source, at) & _QUIET for at in _places(source))


def quieted(data: bytes, path: Path) -> bytes:
    """The stub with the mark set; ElfError if the file has no mark."""
    with failures(path):
        source = Source(io.BytesIO(data), str(path))
        places = _places(source)
        if not places:
            raise source.error("has no mark")
        changed = bytearray(data)
        for at in places:
            _FLAGS.pack_into(changed, at, _flags(source, at) | _QUIET)
        return bytes(changed)


def _flags(source: Source, at: int) -> int:
    return int.from_bytes(source.bytes(at, _FLAGS.size, "mark"), "little")


def _places(source: Source) -> list[int]:
    """The offsets of the flags of each mark; a file with several linked stubs has several."""
    places = []
    for segment in Headers(source).segments:
        if segment.kind != layout.PT_NOTE:
            continue
        notes = source.bytes(segment.offset, segment.in_file, "notes")
        at = notes.find(_NOTE)
        while at >= 0:
            if at % 4 == 0 and at + len(_NOTE) + _FLAGS.size <= len(notes):
                places.append(segment.offset + at + len(_NOTE))
            at = notes.find(_NOTE, at + 1)
    return places
