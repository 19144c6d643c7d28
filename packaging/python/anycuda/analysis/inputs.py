# SPDX-License-Identifier: Apache-2.0
"""The binaries in a path of the command line (a file, folder or wheel), in batches."""

from __future__ import annotations

import os
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

from ..failure import Failure
from ..wheels import entries, names
from . import device_code

_ELF, _ZIP = b"\x7fELF", b"PK"
_CODE_STARTS = (b"\x50\xed\x55\xba", b".ver")  # of fatbins and of PTX; a cubin is an ELF file
CODE_ENDINGS = (".ptx", ".fatbin")
_PIECE = 1 << 20
_ARCHIVES = {".conda": "a conda package", ".deb": "a Debian package", ".rpm": "an RPM package",
             ".tar": "an archive", **{f".tar.{one}": "an archive" for one in ("gz", "bz2", "xz", "zst")},
             ".tgz": "an archive", ".7z": "an archive"}
_OF_OTHER_SYSTEMS = (".pyd", ".dll", ".dylib")
# Exceptions of zipfile for damaged or unusual archives.
ZIP_ERRORS = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError)


@dataclass(frozen=True)
class Binary:
    """An ELF file, or a file named on the command line. `name` is for messages; `path` holds its bytes until the next
    batch is taken. `only_code`: PTX or a fatbin by its name or first bytes, in a folder or a wheel."""

    name: str
    path: Path
    only_code: bool = False


@dataclass(frozen=True)
class Problem:
    """An unreadable file; `text` says why. `other_system`: it is a wheel for Windows or macOS."""

    name: str
    text: str
    other_system: bool = False


Progress = Callable[[str, int, int], None]  # (current file, bytes done, total bytes)


def kind_of(path: Path) -> str:
    """"file", "folder" or "wheel" (any zip file)"""
    if os.path.isdir(path):
        return "folder"
    try:
        return "wheel" if path.suffix == ".whl" or os.path.isfile(path) and _starts(path) == _ZIP else "file"
    except OSError:
        return "file"


def expanded(path: Path) -> list[Path]:
    """A folder, then each wheel in it, since every wheel gets a verdict."""
    if kind_of(path) != "folder":
        return [path]
    found = [path]
    for place, folders, files in os.walk(path):
        folders.sort()
        found += [Path(place, name) for name in sorted(files) if name.endswith(".whl")]
    return found


def binaries(path: Path, progress: Progress) -> Iterator[list[Binary | Problem]]:
    """The binaries in batches. Those of a wheel are unpacked together, as many as one run of the device-code program
    takes."""
    kind = kind_of(path)
    archive = next((kind for ending, kind in _ARCHIVES.items() if path.name.endswith(ending)), "")
    if archive and os.path.isfile(path):
        yield [Problem(path.name, f"is {archive}, which anycuda does not open: unpack it and check the folder")]
    elif kind == "folder":
        yield from ([one] for one in _in_folder(path))
    elif kind == "wheel":
        yield from _in_wheel(path, progress)
    else:
        yield [Binary(path.name, path)]


def _in_folder(folder: Path) -> Iterator[Binary | Problem]:
    """The binaries outside the folder's wheels."""
    problems: list[Problem] = []

    def failed(error: OSError) -> None:
        problems.append(Problem(str(error.filename), error.strerror or str(error)))

    for place, folders, files in os.walk(folder, onerror=failed):
        folders.sort()
        for name in sorted(files):
            path = Path(place, name)
            inside = str(path.relative_to(folder))
            try:
                start = _starts(path) if stat.S_ISREG(path.lstat().st_mode) else b""
            except OSError as error:
                yield Problem(inside, error.strerror or str(error))
                continue
            what = _what(name, _starts(path, len(_ELF))) if start else ""
            if what:
                yield Binary(inside, path, what == _CODE)
    yield from problems


_LINKED, _CODE = "ELF", "code"


def _what(name: str, start: bytes) -> str:
    """The file's kind by its first bytes and the end of its name; "" for other files."""
    if start == _ELF:
        return _LINKED
    return _CODE if start in _CODE_STARTS or name.lower().endswith(CODE_ENDINGS) else ""


def _starts(path: Path, count: int = 2) -> bytes:
    with open(path, "rb") as file:
        return file.read(count)


def _in_wheel(path: Path, progress: Progress) -> Iterator[list[Binary | Problem]]:
    """Unpacks members under numbers, so that a name cannot lead out of the folder; such names are still reported."""
    shown = path.name
    if os.path.exists(path) and not os.path.isfile(path):  # a pipe would block, a device may have no end
        yield [Problem(shown, "not a regular file: name a file, a wheel or a folder")]
        return
    try:
        wheel = zipfile.ZipFile(path)
    except (FileNotFoundError, PermissionError) as error:
        yield [Problem(shown, f"cannot be read: {_sentence(error)}")]
        return
    except ZIP_ERRORS as error:
        yield [Problem(shown, f"truncated or damaged wheel or zip file ({_sentence(error)}): get it again")]
        return
    with wheel:
        bombs = entries.bomb(wheel.infolist(), path.stat().st_size)
        if bombs:
            yield [Problem(shown, f"not unpacked: {bombs[0]}")]
            return
        try:
            temporary = tempfile.TemporaryDirectory(prefix="anycuda-check-")
        except OSError as error:
            yield [Problem(shown, f"cannot be unpacked: {_sentence(error)}")]
            return
        read = False
        with temporary as folder:
            for batch in _members(wheel, Path(folder), progress):
                read = read or any(isinstance(one, Binary) for one in batch)
                yield batch
        system = other_system(path.name, wheel.namelist(), read)
        if system:
            yield [Problem(shown, f"{system}; anycuda reads only binaries for Linux: check the wheel for Linux", True)]


def other_system(file: str, members: list[str], has_elf: bool) -> str:
    """Recognises a wheel for another system by its platform tags; if they name every system or the file name is not a
    wheel's, by its members."""
    try:
        platforms = names.parse(file).platforms
    except Failure:
        platforms = ("any",)
    if all(not (one == "any" or "linux" in one) for one in platforms):
        return f"is a wheel for {', '.join(platforms)}"
    found = next((name for name in members if name.lower().endswith(_OF_OTHER_SYSTEMS)), "")
    return f"has no binary for Linux ({found} is for Windows or macOS)" if (
        found and not has_elf and "any" in platforms) else ""


def _members(wheel: zipfile.ZipFile, folder: Path, progress: Progress) -> Iterator[list[Binary | Problem]]:
    """The members unpacked in `folder`, in batches that fit; a member that is too large forms its own batch."""
    members = [one for one in wheel.infolist() if not one.filename.endswith("/")]
    whole, done = sum(member.file_size for member in members), 0
    batch: list[Binary | Problem] = []
    budget, held = device_code.batch_budget(folder), 0
    for number, member in enumerate(members):
        progress(member.filename, done, whole)
        if held + member.file_size > budget or len(batch) == device_code.MOST_FILES:
            yield batch
            for given in batch:
                if isinstance(given, Binary):
                    given.path.unlink(missing_ok=True)
            batch, held = [], 0
        one = _member(wheel, member, folder / str(number),
                      _reporting(progress, member.filename, done, whole))
        if one:
            batch.append(one)
        held += member.file_size if isinstance(one, Binary) else 0
        done += member.file_size
    yield batch


def _reporting(progress: Progress, name: str, before: int, whole: int) -> Callable[[int], None]:
    return lambda bytes_: progress(name, before + bytes_, whole)


def _member(wheel: zipfile.ZipFile, member: zipfile.ZipInfo, place: Path, report: Callable[[int], None]
            ) -> Binary | Problem | None:
    name = member.filename
    if leads_out(name):
        return Problem(name, "not unpacked: its path leads out of the wheel, which installers must refuse")
    if entries.is_encrypted(member) or entries.other_method(member):
        why = "is encrypted" if entries.is_encrypted(member) else entries.other_method(member)
        return Problem(name, f"cannot be unpacked: it {why}")
    try:
        found = _unpacked(wheel, member, place, report)
    except ZIP_ERRORS as error:
        place.unlink(missing_ok=True)
        return Problem(name, f"cannot be unpacked: {_sentence(error)}")
    return Binary(name, place, found == _CODE) if found else None


def leads_out(name: str) -> bool:
    """Is it /x, ../x, a/../../x or C:/x? zipfile turns \\ into / only on Windows."""
    parts = name.replace("\\", "/").split("/")
    return name.startswith(("/", "\\")) or ".." in parts or ":" in parts[0] or "\0" in name


def _unpacked(wheel: zipfile.ZipFile, member: zipfile.ZipInfo, place: Path, report: Callable[[int], None]) -> str:
    """The member's kind. Only binaries and device code are read beyond their first bytes."""
    with wheel.open(member) as packed:
        data = packed.read(len(_ELF))
        what = _what(member.filename, data)
        if not what:
            return ""
        with open(place, "wb") as file:
            while data:
                file.write(data)
                report(file.tell())
                data = packed.read(_PIECE)
    return what


def _sentence(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__
