# SPDX-License-Identifier: Apache-2.0
"""A wheel, opened without trust: whatever an installer could be led astray by is refused before any of it is
unpacked. Nothing is read whole into memory."""

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
    entries: tuple[zipfile.ZipInfo, ...]  # in the order of the zip's directory, folders too
    dist_info: str  # cumm_cu120-0.6.3.dist-info

    @property
    def record(self) -> str:
        return f"{self.dist_info}/RECORD"

    @property
    def size(self) -> int:
        """Of all that is in it, unpacked."""
        return sum(entry.file_size for entry in self.entries)

    def read(self, name: str, most: int = 1 << 22) -> bytes:
        """A small file of it. What is made of METADATA takes up to 150 times its size."""
        entry = self.zip.getinfo(name)
        if entry.file_size > most:
            raise Failure(f"{self.path}: {name} has {entry.file_size} bytes, which no real wheel's has")
        return b"".join(self.blocks(entry))

    def blocks(self, entry: zipfile.ZipInfo) -> Iterator[bytes]:
        """The entry unpacked, block by block; its end is reached only if size and CRC are right."""
        with _broken(self.path, entry.filename), self.zip.open(entry) as file:
            size = 0
            while block := file.read(BLOCK):
                size += len(block)
                yield block
            if size != entry.file_size:
                raise Failure(f"{self.path}: {entry.filename} ends after {size} of {entry.file_size} bytes")

    def packed(self, entry: zipfile.ZipInfo) -> Iterator[bytes]:
        """The same as it lies in the file, compressed. A file of its own: the zip's is at another place."""
        with _broken(self.path, entry.filename), open(self.path, "rb") as file:
            file.seek(_data_of(entry, file))
            left = entry.compress_size
            while left:
                block = file.read(min(BLOCK, left))
                if not block:
                    raise zipfile.BadZipFile("it ends too early")
                left -= len(block)
                yield block


def _data_of(entry: zipfile.ZipInfo, file: BinaryIO) -> int:
    """Names and extra fields before the data may be longer than those in the directory."""
    file.seek(entry.header_offset)
    header = file.read(_LOCAL_HEADER)
    if len(header) < _LOCAL_HEADER or header[:4] != b"PK\3\4":
        raise zipfile.BadZipFile("its header is damaged")
    lengths = int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
    return entry.header_offset + _LOCAL_HEADER + lengths


@contextlib.contextmanager
def open_wheel(path: Path) -> Iterator[Wheel]:
    name = names.parse(path.name)
    with _broken(path, ""):
        if not path.is_file():
            raise Failure(f"{path}{': no regular file' if path.exists() else ' does not exist'}")
        archive = zipfile.ZipFile(path)
    with archive:
        found = tuple(archive.infolist())
        problems = entries.problems(found, path.stat().st_size)
        if problems:
            more = f" (and {len(problems) - 1} more such things)" if len(problems) > 1 else ""
            raise Failure(f"{path}: {problems[0]}{more}; nothing was unpacked")
        yield Wheel(path, name, archive, found, _dist_info(path, name, found))


def _dist_info(path: Path, name: names.WheelName, found: tuple[zipfile.ZipInfo, ...]) -> str:
    files = {entry.filename for entry in found}
    folders = sorted({file.split("/")[0] for file in files if file.split("/")[0].endswith(".dist-info")})
    if len(folders) != 1:
        raise Failure(f"{path}: a wheel has one folder NAME-VERSION.dist-info, this has "
                      f"{'none' if not folders else ', '.join(folders)}")
    (folder,) = folders
    if not names.same(folder.split("-")[0], name.distribution):
        raise Failure(f"{path}: its {folder} is of another project than its file name says")
    for needed in ("METADATA", "WHEEL", "RECORD"):
        if f"{folder}/{needed}" not in files:
            raise Failure(f"{path}: {folder} has no {needed}, so it is no whole wheel")
    return folder


@contextlib.contextmanager
def _broken(path: Path, inside: str) -> Iterator[None]:
    where = f"{path}: {inside + ': ' if inside else ''}"
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        what = f"truncated or damaged ({error})" if inside else f"no zip file, or a truncated one ({error})"
        raise Failure(f"{where}{what}") from None
    except UnicodeDecodeError:
        raise Failure(f"{where}a name in it is said to be UTF-8, and is not") from None
    except OSError as error:
        raise Failure(f"{where}{error.strerror or error}") from None
