# SPDX-License-Identifier: Apache-2.0
"""Replaces a file atomically: every reader finds the complete old or the complete new file."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from ..failure import Failure

_CLONE = 0x40049409  # ioctl FICLONE: shares the blocks, if the file system supports it
_PIECE = 1 << 20


@contextlib.contextmanager
def copy(path: Path, target: Path) -> Iterator[Path]:
    """A copy of `path` next to `target`, to edit. It replaces the target if the block succeeds, and is deleted
    otherwise. A symbolic link stays; the file that it leads to is replaced."""
    place = Path(os.path.realpath(target))
    temporary: str | None = None
    try:
        before = os.stat(path)
        handle, temporary = tempfile.mkstemp(prefix=".anycuda-", dir=place.parent)
        with open(path, "rb", buffering=0) as old, os.fdopen(handle, "wb", buffering=0) as new:
            _copy(old, new)
        yield Path(temporary)
        with open(temporary, "rb") as file:
            _keep(path, before, temporary)  # last, since writing to a file removes set-user-ID and capabilities
            os.fsync(file.fileno())
        now = os.stat(path)
        if (now.st_size, now.st_mtime_ns, now.st_ino) != (before.st_size, before.st_mtime_ns, before.st_ino):
            raise Failure(f"{path} was changed by another program meanwhile and is left as it is: try again")
        os.replace(temporary, place)
        temporary = None
        _sync(place.parent)
    except OSError as error:
        if error.filename is not None and str(error.filename) == str(path):
            raise Failure(f"{path}: {error.strerror}") from None
        raise Failure(f"cannot write {target}: {error.strerror} (in {place.parent}); it is unchanged") from None
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


def check(target: Path) -> None:
    """Raises Failure if the target must not be replaced: a device, or a file that its owner made read-only, which the
    folder's permissions alone would allow."""
    if os.path.exists(target) and not os.path.isfile(target):
        raise Failure(f"{target} is not a regular file, so it is not replaced: name a file")
    if os.path.exists(target) and not os.access(target, os.W_OK):
        raise Failure(f"{target} is read-only, so it is not replaced: make it writable, or use --output")


def notes(target: Path) -> list[str]:
    """Notes on names of the file that a replacement does not change."""
    with contextlib.suppress(OSError):
        others = os.stat(target).st_nlink - 1
        if others:
            return ["has another hard link, which keeps the old content" if others == 1 else
                    f"has {others} other hard links, which keep the old content"]
    return []


def _copy(old: BinaryIO, new: BinaryIO) -> None:
    """Copies a file, which may be larger than memory and have holes."""
    with contextlib.suppress(OSError, ImportError):
        import fcntl
        fcntl.ioctl(new.fileno(), _CLONE, old.fileno())
        return
    size = os.fstat(old.fileno()).st_size
    at = 0
    while at < size:
        start, end = _data(old, at, size)
        if start >= size:
            break
        _range(old, new, start, end)
        at = end
    new.truncate(size)


def _data(old: BinaryIO, at: int, size: int) -> tuple[int, int]:
    """The next range with data."""
    try:
        start = os.lseek(old.fileno(), at, os.SEEK_DATA)
        return start, os.lseek(old.fileno(), start, os.SEEK_HOLE)
    except OSError as error:
        return (size, size) if error.errno == errno.ENXIO else (at, size)


def _range(old: BinaryIO, new: BinaryIO, start: int, end: int) -> None:
    old.seek(start)
    new.seek(start)
    while start < end:
        data = old.read(min(_PIECE, end - start))
        if not data:
            raise OSError(errno.EIO, "the file was truncated while it was read", old.name)
        rest = memoryview(data)
        while rest:
            rest = rest[new.write(rest):]
        start += len(data)


def _keep(path: Path, before: os.stat_result, target: str) -> None:
    """Copies owner, permissions and extended attributes, but not the times, since the content changed. If the owner
    cannot be kept, the file runs only with the caller's rights."""
    if (before.st_uid, before.st_gid) != (os.geteuid(), os.getegid()):
        with contextlib.suppress(PermissionError):
            os.chown(target, before.st_uid, before.st_gid)
    shutil.copystat(path, target)
    now = os.stat(target)
    if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
        os.chmod(target, stat.S_IMODE(now.st_mode) & ~(stat.S_ISUID | stat.S_ISGID))
    os.utime(target)


def _sync(folder: Path) -> None:
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
