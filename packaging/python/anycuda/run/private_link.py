# SPDX-License-Identifier: Apache-2.0
"""A symbolic link to a folder whose path contains a character that ends an entry of LD_LIBRARY_PATH or LD_PRELOAD, in a
directory that only this user may write to.

The link outlives the command, which the program replaces. Its name depends only on the folder's path, so that the same
folder always gets the same link.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from ..failure import Failure


def link_to(folder: Path, ends: str, variables: Mapping[str, str]) -> Path:
    """The link's path, without any of the characters in `ends`."""
    name = hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]
    problems = []
    for parent in _parents(variables):
        if any(end in str(parent) for end in ends):
            problems.append(f"{parent} also has such a character")
            continue
        try:
            _make_private(parent)
            return _point(parent / name, folder)
        except OSError as error:
            problems.append(f"{parent}: {error.strerror}")
    raise Failure(f"{folder} contains a character that ends an entry of LD_LIBRARY_PATH or LD_PRELOAD, and a link to "
                  f"it could not be made ({'; '.join(problems)}). Set TMPDIR to a directory that you may write to, or "
                  "install anycuda elsewhere")


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
    about = os.lstat(folder)
    if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.getuid() or about.st_mode & 0o022:
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
