# SPDX-License-Identifier: Apache-2.0
"""Opens an untrusted wheel: anything that could mislead an installer is refused before unpacking. No file is read into
memory as a whole."""

from __future__ import annotations

import contextlib
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from ..failure import Failure
from . import entries, names

BLOCK = 1 << 20
_LOCAL_HEADER = 30


@dataclass(frozen=True)
class Wheel:
    path: Path
    name: names.WheelName
    zip: zipfile.ZipFile
    entries: tuple[zipfile.ZipInfo, ...]  # in the order of the zip's directory, including folders
    dist_info: str  # cumm_cu120-0.6.3.dist-info

    @property
    def record(self) -> str:
        return f"{self.dist_info}/RECORD"

    @property
    def size(self) -> int:
        """The unpacked size of all files."""
        return sum(entry.file_size for entry in self.entries)

    def read(self, name: str, most: int = 1 << 22) -> bytes:
        """The content of a small file. Parsed METADATA takes up to 150 times its size."""
        entry = self.zip.getinfo(name)
        if entry.file_size > most:
            raise Failure(f"{self.path}: {name} has {entry.file_size} bytes, more than in any real wheel: get the "
                          "wheel again")
        return b"".join(self.blocks(entry))

    def blocks(self, entry: zipfile.ZipInfo) -> Iterator[bytes]:
        """The unpacked entry in blocks; raises at the end if size or CRC are wrong."""
        with _broken(self.path, entry.filename), self.zip.open(entry) as file:
            size = 0
            while block := file.read(BLOCK):
                size += len(block)
                yield block
            if size != entry.file_size:
                raise Failure(f"{self.path}: {entry.filename} is truncated: it has {size} of {entry.file_size} bytes; "
                              "get the wheel again")

    def packed(self, entry: zipfile.ZipInfo) -> Iterator[bytes]:
        """The compressed entry in blocks. Opens the file again, since the zip's file object has another position."""
        with _broken(self.path, entry.filename), open(self.path, "rb") as file:
            file.seek(_data_of(entry, file))
            left = entry.compress_size
            while left:
                block = file.read(min(BLOCK, left))
                if not block:
                    raise zipfile.BadZipFile("truncated")
                left -= len(block)
                yield block


def _data_of(entry: zipfile.ZipInfo, file: BinaryIO) -> int:
    """The offset of the data; the name and extra fields before it may be longer than in the directory."""
    file.seek(entry.header_offset)
    header = file.read(_LOCAL_HEADER)
    if len(header) < _LOCAL_HEADER or header[:4] != b"PK\3\4":
        raise zipfile.BadZipFile("damaged header")
    lengths = int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
    return entry.header_offset + _LOCAL_HEADER + lengths


@contextlib.contextmanager
def open_wheel(path: Path) -> Iterator[Wheel]:
    name = names.parse(path.name)
    with _broken(path, ""):
        if not path.is_file():
            raise Failure(f"{path} {'is not a regular file' if path.exists() else 'does not exist'}: name a wheel or a "
                          "folder")
        archive = zipfile.ZipFile(path)
    with archive:
        members = tuple(archive.infolist())
        problems = entries.problems(members, path.stat().st_size)
        if problems:
            more = f" (and {len(problems) - 1} more problems)" if len(problems) > 1 else ""
            raise Failure(f"{path} was not unpacked: {problems[0]}{more}. Get the wheel again")
        yield Wheel(path, name, archive, members, _dist_info(path, name, members))


def _dist_info(path: Path, name: names.WheelName, members: tuple[zipfile.ZipInfo, ...]) -> str:
    files = {entry.filename for entry in members}
    folders = sorted({file.split("/")[0] for file in files if file.split("/")[0].endswith(".dist-info")})
    if len(folders) != 1:
        raise Failure(f"{path} is not a valid wheel: it must have exactly one folder NAME-VERSION.dist-info, but has "
                      f"{'none' if not folders else ', '.join(folders)}. Build the wheel again")
    (folder,) = folders
    if not names.same(folder.split("-")[0], name.distribution):
        raise Failure(f"{path} is not a valid wheel: its {folder} does not match its file name. Restore the original "
                      "file name, or build the wheel again")
    for needed in ("METADATA", "WHEEL", "RECORD"):
        if f"{folder}/{needed}" not in files:
            raise Failure(f"{path} is not a complete wheel: {folder} has no {needed}. Build the wheel again")
    return folder


@contextlib.contextmanager
def _broken(path: Path, inside: str) -> Iterator[None]:
    where = f"{path}: {inside + ': ' if inside else ''}"
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        what = f"truncated or damaged ({error})" if inside else f"not a zip file, or a truncated one ({error})"
        raise Failure(f"{where}{what}: get the wheel again") from None
    except UnicodeDecodeError:
        raise Failure(f"{where}a name in it is marked as UTF-8 but is not valid UTF-8. Build the wheel again") from None
    except OSError as error:
        raise Failure(f"{where}{error.strerror or error}") from None
