"""A plan, carried out: into a folder of its own, and from there to its place in one step, so that whatever goes
wrong leaves everything as it was."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import tempfile
from functools import partial
from pathlib import Path
from typing import Iterator

from ..elf import ElfError, edit, read
from ..failure import Failure
from ..analysis import uses
from ..wheels import writing
from ..wheels.archive import Wheel
from .files import FileEdit
from .plan import Plan
from .stubs import Stub, content
from .scan import Scan


_PREFIX = ".anycuda-repair-"


class CannotEdit(Failure):
    """A file is of a form in which it cannot be changed."""


@contextlib.contextmanager
def work_folder(where: Path | None) -> Iterator[Path]:
    """Beside the result, since unpacked files may be larger than /tmp; None: a folder for looking only."""
    try:
        with tempfile.TemporaryDirectory(prefix=_PREFIX, dir=where) as folder:
            yield Path(folder)
    except BrokenPipeError:  # of stdout
        raise
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)  # whatever file is named then, it is this disk
        place = (None if full else error.filename) or where or "the folder of temporary files"
        if where and Path(place).name.startswith(_PREFIX):  # it cannot be made
            raise Failure(f"{where}: {error.strerror}: the wheel is written there; --wheel-dir (without "
                          "--in-place) names another folder") from None
        raise Failure(f"{place}: {error.strerror or error}") from None


def write(wheel: Wheel, scan: Scan, plan: Plan, texts: dict[str, bytes], work: Path, step: writing.Step) -> Path:
    """The repaired wheel, in `work`. `texts`: name in the wheel -> its new content."""
    out = work / wheel.path.name
    changes = writing.Changes(removed=set(plan.left_out))
    for name, stub in plan.stubs.items():
        changes.added[name] = _named_stub(stub, work)
    for one in plan.edits:
        changes.edited[one.name] = partial(_edit, one)
    for name, text in texts.items():
        changes.edited[name] = partial(_put_text, text)
    writing.write(wheel, scan.sums, changes, work, out, writing.moment_of(wheel), step)
    shutil.copymode(wheel.path, out)
    return out


def copied(wheel: Wheel, work: Path) -> Path:
    """The wheel as it is."""
    return Path(shutil.copy2(wheel.path, work / wheel.path.name))


def _named_stub(stub: Stub, work: Path) -> Path:
    """The stub under the name that it has in wheels."""
    path = work / stub.file
    if not path.exists():
        path.write_bytes(content(stub.path, stub.quiet))
        edit.apply(path, edit.Edit(soname=stub.file))
    return path


def _edit(one: FileEdit, path: Path) -> None:
    wanted = edit.Edit(needed=one.needed, add_needed=one.add_needed, versions=one.versions,
                       rpath=[one.path] if one.path else (), new_runpath=one.runpath)
    try:
        edit.apply(path, wanted)
    except ElfError as error:
        raise CannotEdit(f"{one.name}: {str(error).replace(f'{path}: ', '')}") from None
    image = read.read(path)
    left = [use for use in uses.of(image).uses if use.needed in one.needed
            or use.how in ("named", "renamed") and use.needed not in one.kept]
    if left:
        raise Failure(f"{one.name}: after the repair it still needs {left[0].needed}: a mistake in anycuda")


def _put_text(text: bytes, path: Path) -> None:
    path.write_bytes(text)


def put(path: Path, target: Path) -> None:
    """To its place: the old file there, if any, is whole until this moment."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())
    try:
        os.replace(path, target)
    except OSError as error:
        raise Failure(f"{target}: cannot be replaced, and is as it was: {error.strerror}") from None
