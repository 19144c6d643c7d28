# SPDX-License-Identifier: Apache-2.0
"""Questions about files, answered in a child process of the command, since a network file system may hang."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

from ..kind import Kind
from .ask_here import line_of

KINDS, WHEELS = "kinds", "wheels"
_LIBRARY = re.compile(r"\.so(\.\d+)*\Z")
_METADATA = ".dist-info"


class PathKind(Kind):
    FOLDER = "folder"
    FILE = "file"
    NOTHING = ""  # the path leads to nothing
    # Without an answer:
    HANGS = "hangs"
    UNKNOWN = "unknown"


def answer(question: Sequence[str], pipe: int) -> int:
    lines = _kinds(question[1:]) if question[0] == KINDS else _gone(question[1:])
    for line in lines:
        os.write(pipe, line)
    return 0


def _kinds(paths: Sequence[str]) -> Iterator[bytes]:
    for path in paths:
        yield line_of("kind", {"kind": _kind_of(path)})


def _kind_of(path: str) -> PathKind:
    if os.path.isdir(path):
        return PathKind.FOLDER
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return PathKind.NOTHING
    except OSError:
        return PathKind.FOLDER  # this user may not look: folder_denied reports it
    return PathKind.FILE


def _gone(folders: Sequence[str]) -> Iterator[bytes]:
    """NVIDIA's wheels in these site-packages folders whose libraries do not exist."""
    for folder in folders:
        try:
            names = sorted(name for name in os.listdir(folder)
                           if name.startswith("nvidia_") and name.endswith(_METADATA))
        except OSError:
            continue
        for about in names:
            gone = [file for file in _libraries(f"{folder}/{about}/RECORD") if _is_gone(f"{folder}/{file}")]
            if gone:
                name, _, version = about[: -len(_METADATA)].partition("-")
                yield line_of("gone", {"name": name.replace("_", "-"), "version": version, "folder": folder,
                                       "file": gone[0], "count": str(len(gone))})


def _is_gone(path: str) -> bool:
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False  # this user may not look
    return False


def _libraries(record: str) -> list[str]:
    try:
        with open(record, encoding="utf-8", errors="surrogateescape") as file:
            names = [line.split(",")[0] for line in file]
    except OSError:
        return []
    return [name for name in names if _LIBRARY.search(name)]
