# SPDX-License-Identifier: Apache-2.0
"""A file replaced at once and as a whole: whoever looks finds the old one or the new one, and nothing between."""

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

_CLONE = 0x40049409  # ioctl FICLONE: the same blocks, where the file system can do that
_PIECE = 1 << 20


@contextlib.contextmanager
def copy(path: Path, target: Path) -> Iterator[Path]:
    """A copy of `path` beside `target`, to work on; it takes the target's place when the block ends well, and is
    gone otherwise. A symbolic link stays one: the file that it leads to is replaced."""
    place = Path(os.path.realpath(target))
    made: str | None = None
    try:
        before = os.stat(path)
        handle, made = tempfile.mkstemp(prefix=".anycuda-", dir=place.parent)
        with open(path, "rb", buffering=0) as old, os.fdopen(handle, "wb", buffering=0) as new:
            _copy(old, new)
        yield Path(made)
        with open(made, "rb") as done:
            _keep(path, before, made)  # last: whoever writes to a file takes set-user-ID and capabilities from it
            os.fsync(done.fileno())
        now = os.stat(path)
        if (now.st_size, now.st_mtime_ns, now.st_ino) != (before.st_size, before.st_mtime_ns, before.st_ino):
            raise Failure(f"{path}: was changed by something else meanwhile; nothing was done")
        os.replace(made, place)
        made = None
        _sync(place.parent)
    except OSError as error:
        if error.filename is not None and str(error.filename) == str(path):
            raise Failure(f"{path}: {error.strerror}") from None
        raise Failure(f"{target}: cannot be written, and is as it was: {error.strerror} (in {place.parent})") from None
    finally:
        if made is not None:
            with contextlib.suppress(OSError):
                os.unlink(made)


def check(target: Path) -> None:
    """Whether a new file may take its place. The folder alone would let a device be replaced, or a file that its
    owner has made read-only."""
    if os.path.exists(target) and not os.path.isfile(target):
        raise Failure(f"{target}: no regular file; nothing was written")
    if os.path.exists(target) and not os.access(target, os.W_OK):
        raise Failure(f"{target}: is read-only, and stays as it is")


def notes(target: Path) -> list[str]:
    """What a replacement of it leaves as it is."""
    with contextlib.suppress(OSError):
        others = os.stat(target).st_nlink - 1
        if others:
            return [f"has {others} other name{'s' if others > 1 else ''} (hard links), which keep the file as it was"]
    return []


def _copy(old: BinaryIO, new: BinaryIO) -> None:
    """Of a file that may be larger than memory, and may have holes."""
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
    """The next range that is no hole."""
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
            raise OSError(errno.EIO, "the file became shorter while it was read", old.name)
        rest = memoryview(data)
        while rest:
            rest = rest[new.write(rest):]
        start += len(data)


def _keep(path: Path, before: os.stat_result, made: str) -> None:
    """Owner, permissions and extended attributes; not the times, since the content is another. With another owner it
    runs with nobody's rights but the caller's."""
    if (before.st_uid, before.st_gid) != (os.geteuid(), os.getegid()):
        with contextlib.suppress(PermissionError):
            os.chown(made, before.st_uid, before.st_gid)
    shutil.copystat(path, made)
    now = os.stat(made)
    if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
        os.chmod(made, stat.S_IMODE(now.st_mode) & ~(stat.S_ISUID | stat.S_ISGID))
    os.utime(made)


def _sync(folder: Path) -> None:
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
