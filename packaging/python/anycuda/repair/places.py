# SPDX-License-Identifier: Apache-2.0
"""Where the files of a wheel are when it is installed, and which folders a search path leads to. Pure."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """Of a file: `root`, the folder in the wheel whose content goes to one place of the machine ("" is
    site-packages), and `folder`, where it lies below it. `why_not`: why nothing beside it can be found from it."""

    root: str
    folder: str
    why_not: str = ""


def place_of(name: str) -> Place:
    """pip takes every folder NAME.data at the top for data, however the name is spelled."""
    root, parts = "", name.split("/")
    if len(parts) > 2 and parts[0].endswith(".data"):
        scheme = parts[1]
        root = f"{parts[0]}/{scheme}/"
        if scheme not in ("purelib", "platlib"):
            return Place(root, "", f"it is installed as {scheme}, outside of site-packages, and where from there the "
                                   "stubs would be differs from machine to machine")
    return Place(root, posixpath.dirname(name[len(root):]))


def folder_of_stubs(distribution: str) -> str:
    """Where auditwheel puts libraries: the name of the wheel's file up to its version. Programs that look for the
    runtime by "libcudart" look at whole paths: no folder has that either."""
    return f"{distribution.replace('libcudart', 'cudart')}.libs"


def origin_to(place: Place, folder: str) -> str:
    """The entry of a search path that leads from a file to a folder below its root."""
    way = posixpath.relpath(folder or ".", place.folder or ".")
    return "$ORIGIN" if way == "." else f"$ORIGIN/{way}"


def covers(search_path: str | None, place: Place, folder: str) -> bool:
    return any(_resolve(entry, place) == folder for entry in (search_path or "").split(":"))


def _resolve(entry: str, place: Place) -> str | None:
    """The folder that an entry names, as seen from the root; None if that is not known before it is installed."""
    for origin in ("$ORIGIN", "${ORIGIN}"):
        rest = entry[len(origin):]
        if entry.startswith(origin) and (not rest or rest.startswith("/")):
            way = posixpath.normpath(posixpath.join(place.folder or ".", rest.lstrip("/") or "."))
            return "" if way == "." else way
    return None
