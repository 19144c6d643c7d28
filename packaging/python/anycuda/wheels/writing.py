# SPDX-License-Identifier: Apache-2.0
"""Writes a wheel that differs from another one in a few files. Streams: one file at a time is unpacked, into a folder,
and unchanged files are copied in compressed form. The same input gives the same bytes."""

from __future__ import annotations

import os
import shutil
import stat
import time
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

from ..failure import Failure
from . import packing, wheel_record
from .archive import Wheel

Step = Callable[[str, int], None]  # (name of the file, bytes done)
_LIBRARY, _TEXT = (stat.S_IFREG | 0o755) << 16, (stat.S_IFREG | 0o644) << 16


@dataclass
class Changes:
    """Keys are names in the wheel. `edited`: a function that edits the unpacked file at that path in place. `texts`:
    the content of changed or new small files. `renamed`: old name -> new name of otherwise unchanged files. `unpacked`:
    paths of already unpacked files; edited ones are deleted."""

    edited: dict[str, Callable[[Path], None]] = field(default_factory=dict)
    added: dict[str, Path] = field(default_factory=dict)
    removed: set[str] = field(default_factory=set)
    texts: dict[str, bytes] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    unpacked: dict[str, Path] = field(default_factory=dict)


def write(wheel: Wheel, sums: dict[str, wheel_record.Row], changes: Changes, work: Path, out: Path,
          moment: tuple, step: Step, how: packing.Packing = packing.Packing()) -> dict[str, wheel_record.Row]:
    """Writes the zip `out`; returns the rows of its RECORD. `work`: a folder for unpacked files. `sums`: the sums of
    the wheel's files. `moment`: the time of added files."""
    rows: dict[str, wheel_record.Row] = {}
    removed = changes.removed | {f"{wheel.dist_info}/{name}" for name in wheel_record.SIGNATURES} | {wheel.record}
    with zipfile.ZipFile(out, "x") as target, packing.writer(target, how) as writer:
        target.comment = wheel.zip.comment
        libraries, texts = dict(changes.added), dict(changes.texts)
        for entry in wheel.entries:
            name = entry.filename
            if name in removed:
                continue
            if name.startswith(wheel.dist_info + "/"):  # goes to the end, where installers find it fast
                _add_libraries(writer, libraries, moment, rows)
            if entry.is_dir():
                writer.copy(entry, wheel.packed(entry), name)
            elif name in texts:
                rows[name] = _put(writer, _as(entry), len(texts[name]), [texts.pop(name)])
            elif name in changes.edited:
                path = changes.unpacked.get(name) or unpack(wheel, entry, work)
                step(name, entry.file_size)
                changes.edited[name](path)
                rows[name] = _put(writer, _as(entry), path.stat().st_size, packing.blocks_of(path))
                path.unlink()
            else:
                new = changes.renamed.get(name, name)
                writer.copy(entry, wheel.packed(entry), new)
                rows[new] = sums[name]
                step(name, entry.file_size)
        _add_libraries(writer, libraries, moment, rows)
        for name, content in texts.items():
            rows[name] = _put(writer, _made(name, moment, _TEXT), len(content), [content])
        content = wheel_record.render(rows, wheel.record)
        _put(writer, _as(wheel.zip.getinfo(wheel.record)), len(content), [content])
    return rows


def unpack(wheel: Wheel, entry: zipfile.ZipInfo, work: Path) -> Path:
    path = place_of(entry, work)
    with open(path, "wb") as file:
        for block in wheel.blocks(entry):
            file.write(block)
    return path


def place_of(entry: zipfile.ZipInfo, work: Path) -> Path:
    """The path of the unpacked file; the header's offset is unique."""
    free = shutil.disk_usage(work).free
    if entry.file_size > free:
        raise Failure(f"{entry.filename} needs {entry.file_size / 1e6:.1f} MB unpacked, but the disk of {work.parent} "
                      f"has only {free / 1e6:.1f} MB left: free some space there")
    return work / f"unpacked-{entry.header_offset}"


def moment_of(wheel: Wheel) -> tuple:
    """The time of added files: SOURCE_DATE_EPOCH, or that of the wheel's newest file."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if not given:
        return max((entry.date_time for entry in wheel.entries), default=(1980, 1, 1, 0, 0, 0))
    try:
        found = time.gmtime(int(given))[:6]
    except (ValueError, OverflowError, OSError):
        raise Failure(f"SOURCE_DATE_EPOCH={given} is not a number of seconds since 1970: correct or unset it") from None
    if not 1980 <= found[0] <= 2107:
        raise Failure(f"SOURCE_DATE_EPOCH={given} is in the year {found[0]}, but a zip allows only 1980 to 2107: "
                      "correct or unset it")
    return found


def _as(entry: zipfile.ZipInfo) -> zipfile.ZipInfo:
    """A new entry with the same name, time, permissions and compression. Extra fields are dropped: they repeat sizes,
    and times that are not needed."""
    new = zipfile.ZipInfo(entry.filename, entry.date_time)
    new.compress_type, new.external_attr = entry.compress_type, entry.external_attr
    new.create_system, new.internal_attr, new.comment = entry.create_system, entry.internal_attr, entry.comment
    return new


def _made(name: str, moment: tuple, kind: int) -> zipfile.ZipInfo:
    new = zipfile.ZipInfo(name, moment)
    new.compress_type, new.external_attr, new.create_system = zipfile.ZIP_DEFLATED, kind, 3
    return new


def _add_libraries(writer: packing.Writer, waiting: dict[str, Path], moment: tuple,
                   rows: dict[str, wheel_record.Row]) -> None:
    for name, path in waiting.items():
        rows[name] = _put(writer, _made(name, moment, _LIBRARY), path.stat().st_size, packing.blocks_of(path))
    waiting.clear()


def _put(writer: packing.Writer, entry: zipfile.ZipInfo, size: int, blocks: Iterable[bytes]) -> wheel_record.Row:
    total = wheel_record.Sum()

    def summed() -> Iterator[bytes]:
        for block in blocks:
            total.add(block)
            yield block

    writer.add(entry, size, summed())
    return total.row
