"""A wheel that differs from another in a few files. Streamed: one file at a time is unpacked, into a folder, and
what is not changed is copied as it is compressed. The same input gives the same bytes."""

from __future__ import annotations

import copy
import os
import shutil
import stat
import time
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Iterator

from ..failure import Failure
from . import record
from .archive import BLOCK, Wheel

Step = Callable[[str, int], None]  # (name of the file, bytes of it that are done)
_LIBRARY = (stat.S_IFREG | 0o755) << 16


@dataclass
class Changes:
    """By names in the wheel. `edited`: what changes a file, unpacked at that path, in place."""

    edited: dict[str, Callable[[Path], None]] = field(default_factory=dict)
    added: dict[str, Path] = field(default_factory=dict)
    removed: set[str] = field(default_factory=set)


def write(wheel: Wheel, sums: dict[str, record.Row], changes: Changes, work: Path, out: Path,
          moment: tuple, step: Step) -> dict[str, record.Row]:
    """Writes the zip `out`; `work` is a folder for unpacked files, `sums` are those of the wheel's files,
    `moment` is the time of what is added. Returns the rows of its RECORD."""
    rows: dict[str, record.Row] = {}
    removed = changes.removed | {f"{wheel.dist_info}/{name}" for name in record.SIGNATURES}
    with zipfile.ZipFile(out, "x") as target:
        target.comment = wheel.zip.comment
        waiting = dict(changes.added)
        for entry in wheel.entries:
            if entry.filename in removed or entry.filename == wheel.record:
                continue
            if entry.filename.startswith(wheel.dist_info + "/"):  # which lies at the end, so it is found fast
                _add_all(target, waiting, moment, rows)
            if entry.is_dir():
                target.writestr(_as(entry), b"")
            elif entry.filename in changes.edited:
                path = unpack(wheel, entry, work, lambda size, name=entry.filename: step(name, size))
                changes.edited[entry.filename](path)
                rows[entry.filename] = _put(target, _as(entry), path)
                path.unlink()
            else:
                _copy(wheel, entry, target)
                rows[entry.filename] = sums[entry.filename]
                step(entry.filename, entry.file_size)
        _add_all(target, waiting, moment, rows)
        text = record.render(rows, wheel.record)
        target.writestr(_as(wheel.zip.getinfo(wheel.record)), text)
    return rows


def unpack(wheel: Wheel, entry: zipfile.ZipInfo, work: Path, step: Callable[[int], None]) -> Path:
    room_for(entry, work)
    path = work / "unpacked"
    with open(path, "wb") as file:
        for block in wheel.blocks(entry):
            file.write(block)
            step(len(block))
    return path


def room_for(entry: zipfile.ZipInfo, work: Path) -> None:
    free = shutil.disk_usage(work).free
    if entry.file_size > free:
        raise Failure(f"{entry.filename} has {entry.file_size / 1e6:.1f} MB unpacked, and the disk of {work.parent} "
                      f"has {free / 1e6:.1f} MB left")


def moment_of(wheel: Wheel) -> tuple:
    """When what is added was made: SOURCE_DATE_EPOCH, or as late as the newest file of the wheel."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if not given:
        return max((entry.date_time for entry in wheel.entries), default=(1980, 1, 1, 0, 0, 0))
    try:
        found = time.gmtime(int(given))[:6]
    except (ValueError, OverflowError, OSError):
        raise Failure(f"SOURCE_DATE_EPOCH={given} is no number of seconds since 1970") from None
    if not 1980 <= found[0] <= 2107:
        raise Failure(f"SOURCE_DATE_EPOCH={given} is in {found[0]}; a zip can say 1980 to 2107")
    return found


def _as(entry: zipfile.ZipInfo) -> zipfile.ZipInfo:
    """A new entry of the same name, time, permissions and kind of compression. Extra fields go: they repeat
    sizes, and times that nobody asks for."""
    new = zipfile.ZipInfo(entry.filename, entry.date_time)
    new.compress_type, new.external_attr = entry.compress_type, entry.external_attr
    new.create_system, new.internal_attr, new.comment = entry.create_system, entry.internal_attr, entry.comment
    return new


def _add_all(target: zipfile.ZipFile, waiting: dict[str, Path], moment: tuple, rows: dict[str, record.Row]) -> None:
    for name, path in waiting.items():
        new = zipfile.ZipInfo(name, moment)
        new.compress_type, new.external_attr, new.create_system = zipfile.ZIP_DEFLATED, _LIBRARY, 3
        rows[name] = _put(target, new, path)
    waiting.clear()


def _put(target: zipfile.ZipFile, entry: zipfile.ZipInfo, path: Path) -> record.Row:
    total = record.Sum()
    entry.file_size = path.stat().st_size
    with open(path, "rb") as file, target.open(entry, "w", force_zip64=entry.file_size >= 1 << 31) as out:
        for block in _blocks(file):
            total.add(block)
            out.write(block)
    return total.row


def _blocks(file) -> Iterator[bytes]:
    return iter(lambda: file.read(BLOCK), b"")


def _copy(wheel: Wheel, entry: zipfile.ZipInfo, target: zipfile.ZipFile) -> None:
    """zipfile cannot take over what is compressed already, so this does what its own writing does: header,
    data, and an entry in the directory that it writes when it is closed."""
    new = copy.copy(entry)
    new.extra = b""
    new.flag_bits &= ~0x8  # sizes stand in the header, not behind the data
    new.header_offset = target.start_dir
    file = target.fp
    file.seek(new.header_offset)
    file.write(new.FileHeader(zip64=max(entry.file_size, entry.compress_size) >= 1 << 31))
    for block in wheel.packed(entry):
        file.write(block)
    target.start_dir = file.tell()
    target.filelist.append(new)
    target.NameToInfo[new.filename] = new
