# SPDX-License-Identifier: Apache-2.0
"""One file: read, decide, edit a copy, look at the copy, and put it in the file's place."""

from __future__ import annotations

import contextlib
import stat
from collections.abc import Iterator
from pathlib import Path

from .. import installation
from ..analysis import libraries, uses
from ..analysis.uses import FileUse
from ..elf import ElfError, edit, read
from ..elf.read import Image
from ..failure import Failure
from . import replace
from .decide import HERE, decide
from .wanted import Wanted


def process(path: Path, wanted: Wanted) -> list[str]:
    """What was done, in lines for the user."""
    return _undo(path, wanted) if wanted.undo else _patch(path, wanted)


def _patch(path: Path, wanted: Wanted) -> list[str]:
    image = read.read(path)
    table = libraries.table()
    use = uses.of(image, table)
    decision = decide(image, use, table, wanted, lambda name: _finds(image, path, name))
    target = wanted.output or path
    stubs = {name: installation.find().stub(library) for library, name in decision.stubs.items()}
    lines = decision.done + decision.left
    if wanted.dry_run:
        edit.preview(path, decision.edit)
    else:
        if decision.changes or wanted.output:
            replace.check(target)
        lines += replace.notes(target) if decision.changes else []
        if wanted.copy_stubs and stubs:  # first: a program never lacks them
            lines += _put(stubs, target, image)
        if decision.changes or wanted.output:
            with _copy(path, target) as copy:
                edit.apply(copy, decision.edit)
                _look(copy, use)
        lines += _missing(target, stubs) + _passed_over(target, decision.edit) if decision.changes else []
    said = f"{'would be' if wanted.dry_run else 'is'} patched"
    if not decision.changes:
        needs = [f"needs {', '.join(stubs)} already"] if stubs else []
        inside = [f"has anycuda's stub of {' and '.join(decision.inside)} in it"] if decision.inside else []
        said = f"{' and '.join(needs + inside)}: nothing to do"
    return [f"{target}: {said}", *(f"    {line}" for line in lines)]


def _undo(path: Path, wanted: Wanted) -> list[str]:
    target = wanted.output or path
    edited = edit.is_edited(path)
    if not edited:
        stubs = [one.needed or "" for one in uses.of(read.read(path)).uses if one.how == "stub"]
        if stubs:
            raise Failure(f"{path}: needs {', '.join(stubs)}, but has no undo record of anycuda: it was linked so, or "
                          "patched with something else, or strip or patchelf wrote it anew since")
    if wanted.dry_run:
        return [f"{target}: would be as it was before it was patched" if edited else f"{target}: was not patched"]
    notes = replace.notes(target)
    if edited or wanted.output:
        replace.check(target)
        with _copy(path, target) as copy:
            edit.undo(copy)
    if not edited:
        return [f"{target}: was not patched: nothing to undo"]
    return [f"{target}: is as it was before it was patched", *(f"    {line}" for line in notes)]


@contextlib.contextmanager
def _copy(path: Path, target: Path) -> Iterator[Path]:
    """To work on; what goes wrong with it goes wrong with the file that the user knows."""
    with replace.copy(path, target) as copy:
        try:
            yield copy
        except ElfError as error:
            raise Failure(str(error).replace(str(copy), str(path))) from None


def _look(copy: Path, before: FileUse) -> None:
    """The copy uses what the file used, for the same majors where it said them, and all of it from stubs."""
    after = uses.of(read.read(copy))
    if {one.how for one in after.uses} & {"named", "renamed", "peer"}:
        raise Failure(f"{before.path}: the patched file would still need a library of NVIDIA's; nothing was changed")

    def said(use: FileUse) -> set[tuple[str, str, str]]:
        return {(one.library, symbol.name, symbol.major) for one in use.uses for symbol in one.symbols if symbol.major}

    if not said(before) <= said(after) or _names(before) != _names(after):
        raise Failure(f"{before.path}: the patched file would use other functions; nothing was changed")


def _names(use: FileUse) -> set[tuple[str, str]]:
    return {(one.library, symbol.name) for one in use.uses for symbol in one.symbols}


def _search(image: Image, path: Path) -> list[Path]:
    """The folders of the file's own search path, as the dynamic linker would expand them."""
    text = (image.runpath if image.runpath is not None else image.rpath) or ""
    here = str(path.resolve().parent)
    return [Path(folder.replace("${ORIGIN}", here).replace(HERE, here)) for folder in text.split(":") if folder]


def _finds(image: Image, path: Path, name: str) -> bool:
    return any((folder / name).is_file() for folder in _search(image, path))


def _missing(target: Path, stubs: dict[str, Path]) -> list[str]:
    image = read.read(target)
    folders = " or ".join(map(str, _search(image, target)))
    return [f"{name} is not there yet: put {source} into {folders} (--copy-stubs puts it beside the file)"
            for name, source in stubs.items() if not _finds(image, target, name)]


def _passed_over(target: Path, done: edit.Edit) -> list[str]:
    if any(folder.startswith("$") for folder in done.rpath) and target.stat().st_mode & (stat.S_ISUID | stat.S_ISGID):
        return ["runs with the rights of its owner or group: there the dynamic linker passes $ORIGIN over, so give "
                "--rpath an absolute folder"]
    return []


def _put(stubs: dict[str, Path], target: Path, image: Image) -> list[str]:
    cpu = installation.find().cpu
    if image.machine != cpu:
        raise Failure(f"{image.path}: is for {image.machine}, and the stubs here are for {cpu}: install anycuda for "
                      f"{image.machine}, and put its stubs there")
    beside = target.resolve().parent
    for name, source in stubs.items():
        place = beside / name
        if not (place.exists() and place.samefile(source)):
            with replace.copy(source, place):
                pass
    return [f"{', '.join(stubs)} put into {beside}"]
