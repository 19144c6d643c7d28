# SPDX-License-Identifier: Apache-2.0
"""Symbolic links in a directory that only this user may write to: to a folder whose path contains a character that ends
an entry of LD_LIBRARY_PATH or LD_PRELOAD, and folders of links.

A link outlives the command, which the program replaces. Its name depends only on its target, so that the same target
always gets the same link.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from ..failure import Failure


def link_to(folder: Path, ends: str, variables: Mapping[str, str]) -> Path:
    """The link's path, without any of the characters in `ends`."""
    try:
        return _in_private(lambda parent: _point(parent / _name(os.fsencode(folder)), folder), ends, variables)
    except OSError as error:
        raise Failure(f"{folder} contains a character that ends an entry of LD_LIBRARY_PATH or LD_PRELOAD, and a link "
                      f"to it could not be made ({error}). Set TMPDIR to a directory that you may write to, or install "
                      "anycuda elsewhere") from None


def private_folder(links: Mapping[str, Path], ends: str, variables: Mapping[str, str]) -> Path:
    """A folder with these links (name -> target). Its path has none of the characters in `ends`. Raises OSError."""
    name = _name(b"".join(os.fsencode(f"{name}\0{target}\0") for name, target in links.items()))

    def make(parent: Path) -> Path:
        _make_private(parent / name)
        for link, target in links.items():
            _point(parent / name / link, target)
        return parent / name

    return _in_private(make, ends, variables)


def _name(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def _in_private(make: Callable[[Path], Path], ends: str, variables: Mapping[str, str]) -> Path:
    problems = []
    for parent in _parents(variables):
        if any(end in str(parent) for end in ends):
            problems.append(f"{parent} also has such a character")
            continue
        try:
            _make_private(parent)
            return make(parent)
        except OSError as error:
            problems.append(f"{parent}: {error.strerror}")
    raise OSError("; ".join(problems))


def _parents(variables: Mapping[str, str]) -> Iterator[Path]:
    """The parents to try: the user's runtime directory (XDG Base Directory Specification), then the temporary
    folder."""
    runtime = variables.get("XDG_RUNTIME_DIR", "")
    if os.path.isabs(runtime):
        yield Path(runtime) / "anycuda"
    for folder in dict.fromkeys((tempfile.gettempdir(), "/tmp")):
        yield Path(folder) / f"anycuda-{os.getuid()}"


def _make_private(folder: Path) -> None:
    """Makes the directory. Refuses one that another user may replace or write to, since the link leads to code."""
    parent = os.stat(folder.parent)
    if parent.st_uid not in (0, os.getuid()) or parent.st_mode & 0o022 and not parent.st_mode & stat.S_ISVTX:
        raise OSError(0, f"another user may rename files in {folder.parent}")
    with contextlib.suppress(FileExistsError):
        os.mkdir(folder, 0o700)
    status = os.lstat(folder)
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o022:
        raise OSError(0, "it is not a directory that only this user can write to")


def _point(link: Path, target: Path) -> Path:
    """Makes the link. An old one is replaced by a rename, so that other processes see either the old or the new one."""
    try:
        if os.readlink(link) == str(target):
            return link
    except OSError:
        pass
    new = link.with_name(f"{link.name}.{os.getpid()}")
    new.unlink(missing_ok=True)
    os.symlink(target, new)
    os.replace(new, link)
    return link
