# SPDX-License-Identifier: Apache-2.0
"""Writes a wheel that differs from another one in a few files. Streams: one file at a time is unpacked, into a folder,
and unchanged files are copied in compressed form. The same input gives the same bytes."""

from __future__ import annotations

import os
import shutil
import stat
import time
import zipfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

from ..failure import Failure
from . import packing, wheel_record
from .archive import Wheel

Step = Callable[[str, int], None]  # (name of the file, bytes done)
Moment = tuple[int, int, int, int, int, int]  # as in zipfile.ZipInfo.date_time
_LIBRARY, _TEXT = (stat.S_IFREG | 0o755) << 16, (stat.S_IFREG | 0o644) << 16


@dataclass(frozen=True)
class Changes:
    """Keys are names in the wheel. `edited`: a function that edits the unpacked file at that path in place. `texts`:
    the content of changed or new small files. `renamed`: old name -> new name of otherwise unchanged files. `unpacked`:
    paths of already unpacked files; edited ones are deleted."""

    edited: Mapping[str, Callable[[Path], None]] = field(default_factory=dict)
    added: Mapping[str, Path] = field(default_factory=dict)
    removed: Collection[str] = ()
    texts: Mapping[str, bytes] = field(default_factory=dict)
    renamed: Mapping[str, str] = field(default_factory=dict)
    unpacked: Mapping[str, Path] = field(default_factory=dict)


def write(wheel: Wheel, sums: Mapping[str, wheel_record.Row], changes: Changes, work: Path, out: Path, moment: Moment,
          step: Step, how: packing.Packing = packing.Packing()) -> None:
    """Writes the zip `out`. `work`: a folder for unpacked files. `sums`: the sums of the wheel's files. `moment`: the
    time of added files."""
    removed = {*changes.removed, *(f"{wheel.dist_info}/{name}" for name in wheel_record.SIGNATURES), wheel.record}
    with zipfile.ZipFile(out, "x") as target, packing.writer(target, how) as writer:
        target.comment = wheel.zip.comment
        output = _Output(writer, wheel, sums, changes, work, moment, step)
        for entry in wheel.entries:
            if entry.filename not in removed:
                output.put(entry)
        output.finish()


class _Output:
    """The files of the new wheel, and their rows in RECORD."""

    def __init__(self, writer: packing.Writer, wheel: Wheel, sums: Mapping[str, wheel_record.Row], changes: Changes,
                 work: Path, moment: Moment, step: Step) -> None:
        self._writer, self._wheel, self._sums, self._changes = writer, wheel, sums, changes
        self._work, self._moment, self._step = work, moment, step
        self._libraries, self._texts = dict(changes.added), dict(changes.texts)  # those to write
        self._rows: dict[str, wheel_record.Row] = {}

    def put(self, entry: zipfile.ZipInfo) -> None:
        """Writes a file or folder of the old wheel."""
        name = entry.filename
        if name.startswith(self._wheel.dist_info + "/"):  # goes to the end, where installers find it fast
            self._add_libraries()
        if entry.is_dir():
            self._writer.copy(entry, self._wheel.packed(entry), name)
        elif name in self._texts:
            self._add_text(_as(entry), self._texts.pop(name))
        elif name in self._changes.edited:
            self._put_edited(entry)
        else:
            new = self._changes.renamed.get(name, name)
            self._writer.copy(entry, self._wheel.packed(entry), new)
            self._rows[new] = self._sums[name]
            self._step(name, entry.file_size)

    def finish(self) -> None:
        """Writes the new files and RECORD."""
        self._add_libraries()
        for name, content in self._texts.items():
            self._add_text(_new(name, self._moment, _TEXT), content)
        record = self._wheel.record
        self._add_text(_as(self._wheel.zip.getinfo(record)), wheel_record.render(self._rows, record))

    def _put_edited(self, entry: zipfile.ZipInfo) -> None:
        path = self._changes.unpacked.get(entry.filename) or unpack(self._wheel, entry, self._work)
        self._step(entry.filename, entry.file_size)
        self._changes.edited[entry.filename](path)
        self._add_file(_as(entry), path)
        path.unlink()

    def _add_libraries(self) -> None:
        for name, path in self._libraries.items():
            self._add_file(_new(name, self._moment, _LIBRARY), path)
        self._libraries.clear()

    def _add_file(self, entry: zipfile.ZipInfo, path: Path) -> None:
        self._add(entry, path.stat().st_size, packing.read_blocks(path))

    def _add_text(self, entry: zipfile.ZipInfo, content: bytes) -> None:
        self._add(entry, len(content), [content])

    def _add(self, entry: zipfile.ZipInfo, size: int, blocks: Iterable[bytes]) -> None:
        total = wheel_record.Sum()

        def summed() -> Iterator[bytes]:
            for block in blocks:
                total.add(block)
                yield block

        self._writer.add(entry, size, summed())
        self._rows[entry.filename] = total.row


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


def moment_of(wheel: Wheel) -> Moment:
    """The time of added files: SOURCE_DATE_EPOCH, or that of the wheel's newest file."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if not given:
        return max((entry.date_time for entry in wheel.entries), default=(1980, 1, 1, 0, 0, 0))
    try:
        moment = time.gmtime(int(given))[:6]
    except (ValueError, OverflowError, OSError):
        raise Failure(f"SOURCE_DATE_EPOCH={given} is not a number of seconds since 1970: correct or unset it") from None
    if not 1980 <= moment[0] <= 2107:
        raise Failure(f"SOURCE_DATE_EPOCH={given} is in the year {moment[0]}, but a zip allows only 1980 to 2107: "
                      "correct or unset it")
    return moment


def _as(entry: zipfile.ZipInfo) -> zipfile.ZipInfo:
    """A new entry with the same name, time, permissions and compression. Extra fields are dropped: they repeat sizes,
    and times that are not needed."""
    new = zipfile.ZipInfo(entry.filename, entry.date_time)
    new.compress_type, new.external_attr = entry.compress_type, entry.external_attr
    new.create_system, new.internal_attr, new.comment = entry.create_system, entry.internal_attr, entry.comment
    return new


def _new(name: str, moment: Moment, kind: int) -> zipfile.ZipInfo:
    new = zipfile.ZipInfo(name, moment)
    new.compress_type, new.external_attr, new.create_system = zipfile.ZIP_DEFLATED, kind, 3
    return new
