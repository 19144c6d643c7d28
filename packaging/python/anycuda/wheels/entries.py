# SPDX-License-Identifier: Apache-2.0
"""Checks the directory of a wheel's zip. Pure.

It refuses entries that programs read differently (two files of one name, overlapping files), entries that lead out of
the target folder, and zips that unpack to far more than any real wheel.
"""

from __future__ import annotations

import bisect
import stat
import zipfile
from collections.abc import Sequence

_LOCAL_HEADER = 30
_ENCRYPTED = 0x1 | 0x40
_UTF8 = 0x800
# Wheels with fat binaries reach 5, files that are mostly zeros 100; a bomb needs 1000.
_MOST_TIMES, _SMALL = 200, 1 << 30


def problems(members: Sequence[zipfile.ZipInfo], size: int) -> list[str]:
    """A sentence for each problem; none for a valid wheel."""
    sentences = [text for entry in members for text in [_entry(entry)] if text]
    return sentences + _duplicates(members) + bomb(members, size) + _overlaps(members, size)


def _entry(entry: zipfile.ZipInfo) -> str:
    name, shown = entry.orig_filename, ascii(entry.orig_filename)
    if name.startswith("/") or name[1:3] in (":/", ":\\"):
        return f"the name {shown} in it is absolute"
    if "\\" in name or "\0" in name:
        return f"the name {shown} in it has a backslash or a zero byte"
    if any(part in ("", ".", "..") for part in name.rstrip("/").split("/")):
        return f"the name {shown} in it is not a normalised path, and may lead out of its folder"
    if not name.isascii() and not entry.flag_bits & _UTF8:
        return f"the name {shown} in it is not marked as UTF-8, so programs read it differently"
    kind = stat.S_IFMT(entry.external_attr >> 16) if entry.create_system == 3 else 0
    if kind == stat.S_IFLNK:
        return f"{shown} is a symbolic link, which wheels must not have (pip installs a small text file instead)"
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        return f"{shown} is a device, a pipe or a socket"
    if is_encrypted(entry):
        return f"{shown} is encrypted"
    if other_method(entry):
        return f"{shown} {other_method(entry)}"
    if _is_folder(entry) and entry.file_size:
        return f"{shown} is a folder with content"
    return ""


def is_encrypted(entry: zipfile.ZipInfo) -> bool:
    return bool(entry.flag_bits & _ENCRYPTED)


def other_method(entry: zipfile.ZipInfo) -> str:
    """The problem of its compression, or "". zipfile unpacks other methods without a limit."""
    if entry.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return ""
    return f"is compressed by method {entry.compress_type} of zip; wheels may use only the methods stored and deflated"


def _is_folder(entry: zipfile.ZipInfo) -> bool:
    """Like entry.is_dir(), which fails for an empty name in some versions of Python."""
    return entry.filename.endswith("/")


def _duplicates(members: Sequence[zipfile.ZipInfo]) -> list[str]:
    seen: set[str] = set()
    sentences = []
    for name in (entry.filename.rstrip("/") for entry in members):
        if name in seen:
            sentences.append(f"the name {ascii(name)} is in it twice")
        seen.add(name)
    files = {entry.filename for entry in members if not _is_folder(entry)}
    names = sorted(seen)
    return sentences + [f"{ascii(name)} is both a file and a folder in it" for name in sorted(files)
                        if _has_one_below(names, name)]


def _has_one_below(names: list[str], folder: str) -> bool:
    """Has the folder a name below it? `names` are sorted."""
    place = bisect.bisect_left(names, f"{folder}/")
    return place < len(names) and names[place].startswith(f"{folder}/")


def bomb(members: Sequence[zipfile.ZipInfo], size: int) -> list[str]:
    total = sum(entry.file_size for entry in members)
    if total <= max(_SMALL, size * _MOST_TIMES):
        return []
    return [f"it would unpack to {total >> 20} MB, {total // max(size, 1)} times its size, which no real wheel does"]


def _overlaps(members: Sequence[zipfile.ZipInfo], size: int) -> list[str]:
    ordered = sorted(members, key=lambda entry: entry.header_offset)
    ends = [entry.header_offset + _LOCAL_HEADER + entry.compress_size for entry in ordered]
    starts = [entry.header_offset for entry in ordered[1:]] + [size]
    return [f"{ascii(entry.filename)} overlaps the next file in the zip, or its end"
            for entry, end, start in zip(ordered, ends, starts) if end > start]
