# SPDX-License-Identifier: Apache-2.0
"""The places of a wheel's files after installation, and the folders on their search paths. Pure."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """The place of a file. `root`: the folder in the wheel whose content goes to one place of the machine ("" is
    site-packages). `folder`: the file's folder below it. `why_not`: why the file cannot find the stubs relative to
    it."""

    root: str
    folder: str
    why_not: str = ""


def place_of(name: str) -> Place:
    """The place of a file; pip treats every top-level folder NAME.data as data, whatever its spelling."""
    root, parts = "", name.split("/")
    if len(parts) > 2 and parts[0].endswith(".data"):
        scheme = parts[1]
        root = f"{parts[0]}/{scheme}/"
        if scheme not in ("purelib", "platlib"):
            return Place(root, "", f"it is installed as {scheme}, outside site-packages, and the path from there to "
                                   "the stubs differs between machines")
    return Place(root, posixpath.dirname(name[len(root):]))


def folder_of_stubs(distribution: str) -> str:
    """The folder for libraries, named as by auditwheel: the name of the wheel's file up to its version. Programs search
    whole paths for "libcudart" to find the runtime, so the folder must not contain that."""
    return f"{distribution.replace('libcudart', 'cudart')}.libs"


def origin_to(place: Place, folder: str) -> str:
    """The entry of a search path that leads from a file to a folder below its root."""
    way = posixpath.relpath(folder or ".", place.folder or ".")
    return "$ORIGIN" if way == "." else f"$ORIGIN/{way}"


def covers(search_path: str | None, place: Place, folder: str) -> bool:
    return any(_resolve(entry, place) == folder for entry in (search_path or "").split(":"))


def _resolve(entry: str, place: Place) -> str | None:
    """The folder of an entry, relative to the root; None if it is unknown before installation."""
    for origin in ("$ORIGIN", "${ORIGIN}"):
        rest = entry[len(origin):]
        if entry.startswith(origin) and (not rest or rest.startswith("/")):
            way = posixpath.normpath(posixpath.join(place.folder or ".", rest.lstrip("/") or "."))
            return "" if way == "." else way
    return None
