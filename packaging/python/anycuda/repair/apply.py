# SPDX-License-Identifier: Apache-2.0
"""Carries out a plan: in a temporary folder, whose result then moves to its place in one step, so that a failure
changes nothing."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from ..analysis import libraries
from ..elf import ElfError, edit, read
from ..failure import Failure
from ..wheels import writing
from ..wheels.archive import Wheel
from ..wheels.packing import Packing
from .files import FileEdit
from .plan import Plan
from .scan import Scan
from .texts import Texts

_PREFIX = ".anycuda-repair-"


class CannotEdit(Failure):
    """The form of a file does not allow the edit."""


@contextlib.contextmanager
def work_folder(where: Path | None) -> Iterator[Path]:
    """A temporary folder next to the result, since unpacked files may not fit into /tmp; None: no result is written."""
    with in_folder(where):
        folder = tempfile.TemporaryDirectory(prefix=_PREFIX, dir=where)
    with folder:
        yield Path(folder.name)


@contextlib.contextmanager
def in_folder(where: Path | None) -> Iterator[None]:
    """Turns an OSError of the block, which reads and writes files there, into a sentence that names the place."""
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)  # the full disk matters, not the file
        place = (None if full else error.filename) or where or "the folder of temporary files"
        if where and Path(place).name.startswith(_PREFIX):  # it cannot be made
            raise Failure(f"cannot write the wheel to {where}: {error.strerror}; choose another folder with "
                          "--wheel-dir (without --in-place)") from None
        raise Failure(f"{place}: {error.strerror or error}") from None


def write(wheel: Wheel, scan: Scan, plan: Plan, stubs: Mapping[str, Path], texts: Texts, work: Path, step: writing.Step,
          how: Packing) -> Path:
    """The repaired wheel, in `work`. `stubs`: name in the wheel -> path of the stub."""
    out = work / wheel.path.name
    changes = writing.Changes(edited={change.name: partial(_edit, change) for change in plan.edits}, added=stubs,
                              removed=plan.left_out, texts=texts.edited, renamed=texts.renamed, unpacked=scan.unpacked)
    writing.write(wheel, scan.sums, changes, work, out, writing.moment_of(wheel), step, how)
    shutil.copymode(wheel.path, out)
    return out


def copy(wheel: Wheel, work: Path) -> Path:
    """An unchanged copy of the wheel."""
    return Path(shutil.copy2(wheel.path, work / wheel.path.name))


def _edit(change: FileEdit, path: Path) -> None:
    wanted = edit.Edit(needed=change.needed, add_needed=change.add_needed, versions=change.versions,
                       rpath=[change.path] if change.path else (), new_runpath=change.runpath)
    try:
        edit.apply(path, wanted)
    except ElfError as error:
        if isinstance(error.__cause__, OSError):  # a full disk does not depend on the file's form
            raise error.__cause__ from None
        raise CannotEdit(f"{change.name}: {str(error).replace(f'{path}: ', '')}") from None
    left = [name for name in read.read(path).needed
            if name in change.needed or name not in change.kept and _is_nvidias(name)]
    if left:
        raise Failure(f"{change.name}: internal check failed: after the repair it would still need {left[0]}; nothing "
                      "was written. Please report this bug of anycuda")


def _is_nvidias(name: str) -> bool:
    named = libraries.table().named(name)
    return named is not None and named.how.is_nvidias


def put(path: Path, target: Path) -> None:
    """Moves the result to its place; an old file there stays complete until this moment."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())
    try:
        os.replace(path, target)
    except OSError as error:
        raise Failure(f"cannot replace {target}: {error.strerror}; it is unchanged") from None
