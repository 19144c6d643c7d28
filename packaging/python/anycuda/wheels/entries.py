# SPDX-License-Identifier: Apache-2.0
"""What must hold for the directory of a wheel's zip: pure functions of it.

What is refused is what programs read differently (two files of one name, overlapping files), what leads out of
the folder that it is unpacked into, and what unpacks to far more than any wheel has.
"""

from __future__ import annotations

import bisect
import stat
import zipfile
from collections.abc import Sequence

_LOCAL_HEADER = 30
_ENCRYPTED = 0x1 | 0x40
_UTF8 = 0x800
# Wheels of fat binaries get to 5, files that are mostly zeros to 100; a bomb needs 1000.
_MOST_TIMES, _SMALL = 200, 1 << 30


def problems(found: Sequence[zipfile.ZipInfo], size: int) -> list[str]:
    """A sentence for each thing that is wrong; none for a wheel that can be worked on."""
    said = [text for entry in found for text in [_entry(entry)] if text]
    return said + _duplicates(found) + bomb(found, size) + _overlaps(found, size)


def _entry(entry: zipfile.ZipInfo) -> str:
    name, shown = entry.orig_filename, ascii(entry.orig_filename)
    if name.startswith("/") or name[1:3] in (":/", ":\\"):
        return f"the name {shown} in it is absolute"
    if "\\" in name or "\0" in name:
        return f"the name {shown} in it has a backslash or a zero byte"
    if any(part in ("", ".", "..") for part in name.rstrip("/").split("/")):
        return f"the name {shown} in it leads elsewhere than it says"
    if not name.isascii() and not entry.flag_bits & _UTF8:
        return f"the name {shown} in it is not marked as UTF-8, so programs read it differently"
    kind = stat.S_IFMT(entry.external_attr >> 16) if entry.create_system == 3 else 0
    if kind == stat.S_IFLNK:
        return f"{shown} is a symbolic link, which wheels cannot have (pip installs a small text file for it)"
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        return f"{shown} is a device, a pipe or a socket"
    if is_encrypted(entry):
        return f"{shown} is encrypted"
    if other_method(entry):
        return f"{shown} {other_method(entry)}"
    if _is_folder(entry) and entry.file_size:
        return f"{shown} is a folder that has content"
    return ""


def is_encrypted(entry: zipfile.ZipInfo) -> bool:
    return bool(entry.flag_bits & _ENCRYPTED)


def other_method(entry: zipfile.ZipInfo) -> str:
    """What is wrong with how it is compressed, "" if nothing is. zipfile unpacks other methods without a bound."""
    if entry.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return ""
    return f"is compressed by method {entry.compress_type}; wheels are stored or deflated"


def _is_folder(entry: zipfile.ZipInfo) -> bool:
    """As entry.is_dir(), which in some Pythons fails for a name without a letter."""
    return entry.filename.endswith("/")


def _duplicates(found: Sequence[zipfile.ZipInfo]) -> list[str]:
    seen: set[str] = set()
    said = []
    for name in (entry.filename.rstrip("/") for entry in found):
        if name in seen:
            said.append(f"the name {ascii(name)} is in it twice")
        seen.add(name)
    files = {entry.filename for entry in found if not _is_folder(entry)}
    names = sorted(seen)
    return said + [f"{ascii(name)} is both a file and a folder in it" for name in sorted(files)
                   if _has_one_below(names, name)]


def _has_one_below(names: list[str], folder: str) -> bool:
    """`names` are sorted."""
    place = bisect.bisect_left(names, f"{folder}/")
    return place < len(names) and names[place].startswith(f"{folder}/")


def bomb(found: Sequence[zipfile.ZipInfo], size: int) -> list[str]:
    total = sum(entry.file_size for entry in found)
    if total <= max(_SMALL, size * _MOST_TIMES):
        return []
    return [f"unpacked it would be {total >> 20} MB, {total // max(size, 1)} times its own size, "
            "which no real wheel is"]


def _overlaps(found: Sequence[zipfile.ZipInfo], size: int) -> list[str]:
    ordered = sorted(found, key=lambda entry: entry.header_offset)
    ends = [entry.header_offset + _LOCAL_HEADER + entry.compress_size for entry in ordered]
    starts = [entry.header_offset for entry in ordered[1:]] + [size]
    return [f"{ascii(entry.filename)} overlaps what follows it in the zip, or its end"
            for entry, end, start in zip(ordered, ends, starts) if end > start]
