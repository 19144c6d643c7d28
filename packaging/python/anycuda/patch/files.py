# SPDX-License-Identifier: Apache-2.0
"""Patches one file: reads it, decides, edits a copy, checks the copy, and replaces the file with it."""

from __future__ import annotations

import contextlib
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from .. import installation
from ..analysis import file_use, libraries
from ..analysis.file_use import FileUse
from ..analysis.libraries import Linking
from ..elf import ElfError, edit, lookup, read
from ..elf.read import Image
from ..failure import Failure
from . import replace
from .decide import OPEN_AT_LOAD, Decision, decide
from .options import Options


def process(path: Path, options: Options) -> list[str]:
    """Patches or restores the file; returns lines for the report."""
    return _undo(path, options) if options.undo else _patch(path, options)


def _patch(path: Path, options: Options) -> list[str]:
    image = read.read(path)
    table = libraries.table()
    use = file_use.analyse(image, table)
    target = options.output or path
    decision = decide(image, use, table, options, lambda name: _finds(image, target, name))
    stubs = {name: installation.find().stub(library) for library, name in decision.stubs.items()}
    if decision.opens_at_load:
        stubs[OPEN_AT_LOAD] = installation.find().file(OPEN_AT_LOAD)
    if (decision.edit.needed or decision.edit.add_needed) and not (options.folders or options.copy_stubs):
        _check_found(path, target, image, decision.edit, stubs)
    notes = decision.done + decision.left
    if options.dry_run:
        edit.preview(path, decision.edit)
    else:
        notes += _apply(path, target, image, use, decision, stubs, options)
    if decision.changes:
        notes += [] if options.dry_run else _missing(target, stubs) + _passed_over(target, decision.edit)
        return _report(target, f"{'would be' if options.dry_run else 'is'} patched", notes)
    needs = [f"already needs {', '.join(stubs)}"] if stubs else []
    inside = [f"has anycuda's stub of {' and '.join(decision.inside)} linked in"] if decision.inside else []
    return _report(target, f"{' and '.join(needs + inside)}: nothing to do", notes)


def _apply(path: Path, target: Path, image: Image, use: FileUse, decision: Decision, stubs: dict[str, Path],
           options: Options) -> list[str]:
    """Writes the patched file, and the stubs for --copy-stubs; returns notes."""
    is_written = decision.changes or options.output is not None
    if is_written:
        replace.check(target)
    notes = replace.notes(target) if decision.changes else []
    if options.copy_stubs and stubs:  # first, so that a patched program never lacks them
        notes += _put(stubs, target, image)
    if is_written:
        with _copy(path, target) as copy:
            edit.apply(copy, decision.edit)
            _check(copy, use)
    return notes


def _report(target: Path, status: str, notes: Sequence[str] = ()) -> list[str]:
    return [f"{target}: {status}", *(f"    {note}" for note in notes)]


def _undo(path: Path, options: Options) -> list[str]:
    target = options.output or path
    is_edited = edit.is_edited(path)
    if not is_edited:
        _check_unlinked(path)
    if options.dry_run:
        return _report(target, "would be restored to the original" if is_edited else "was not patched")
    notes = replace.notes(target)
    if is_edited or options.output:
        replace.check(target)
        with _copy(path, target) as copy:
            edit.undo(copy)
    if not is_edited:
        return _report(target, "was not patched: nothing to undo")
    return _report(target, "is restored to the original", notes)


def _check_unlinked(path: Path) -> None:
    """Raises Failure if the file needs stubs, although anycuda did not patch it."""
    stubs = [use.needed or "" for use in file_use.analyse(read.read(path)).uses if use.how is Linking.STUB]
    if stubs:
        raise Failure(f"{path} needs {', '.join(stubs)} but has no undo record of anycuda: it was linked to the stub, "
                      "patched with another tool, or rewritten by strip or patchelf. Use the original file")


@contextlib.contextmanager
def _copy(path: Path, target: Path) -> Iterator[Path]:
    """A copy to edit; errors name the original file."""
    with replace.copy(path, target) as copy:
        try:
            yield copy
        except ElfError as error:
            raise Failure(str(error).replace(str(copy), str(path))) from None


def _check(copy: Path, before: FileUse) -> None:
    """Checks that the copy uses the same functions, with the recorded majors, and only from stubs."""
    after = file_use.analyse(read.read(copy))
    if any(use.how.is_nvidias or use.how is Linking.PEER for use in after.uses if use.needed not in after.hooked):
        raise Failure(f"{before.path}: internal check failed: the patched file would still need a library of NVIDIA; "
                      "the file is unchanged. Please report this bug of anycuda")
    if not _versioned(before) <= _versioned(after) or _names(before) != _names(after):
        raise Failure(f"{before.path}: internal check failed: the patched file would use other functions; the file is "
                      "unchanged. Please report this bug of anycuda")


def _versioned(file: FileUse) -> set[tuple[str, str, str]]:
    return {(use.library, symbol.name, symbol.major) for use in file.uses for symbol in use.symbols if symbol.major}


def _names(file: FileUse) -> set[tuple[str, str]]:
    return {(use.library, symbol.name) for use in file.uses for symbol in use.symbols}


def _search(image: Image) -> str:
    return (image.runpath if image.runpath is not None else image.rpath) or ""


def _finds(image: Image, path: Path, name: str) -> bool:
    return lookup.library(name, lookup.folders(_search(image), path), image.machine) is not None


def _check_found(path: Path, target: Path, image: Image, change: edit.Edit, stubs: dict[str, Path]) -> None:
    """Raises Failure if the dynamic linker would not find the stubs: the patched file would not start. The folders of
    an image or of another machine are unknown: --rpath names them."""
    entries = [*_search(image).split(":"), *change.rpath]
    if _has_rights(path):
        entries = [entry for entry in entries if not entry.startswith("$")]
    places = [*lookup.folders(":".join(entries), target), *lookup.system(image.machine)]
    lost = [name for name in stubs if not lookup.library(name, [*places, *lookup.cached(name)], image.machine)]
    if not lost:
        return
    edit.preview(path, change)  # raises ElfError for a file that cannot be patched anyway
    installed, them = installation.find(), "it" if len(lost) == 1 else "them"
    use_rpath = f"--rpath DIR to name the folder that has the stubs, such as {installed.folder('stubs')}"
    if image.machine != installed.cpu:
        use = f"Use --rpath DIR to name the folder that will have the stubs for {image.machine}"
    elif _has_rights(path):
        use = f"Use {use_rpath}"
    else:
        use = f"Use --copy-stubs to copy the stubs into this folder, or {use_rpath}"
    raise Failure(f"{path} is unchanged, since the dynamic linker would not find {', '.join(lost)}: neither the file's "
                  f"search path, the file's folder ({target.resolve().parent}) nor the system's folders have {them}. "
                  f"{use}")


def _has_rights(path: Path) -> bool:
    """Does it run with the rights of its owner or group? The dynamic linker then ignores $ORIGIN."""
    return bool(path.stat().st_mode & (stat.S_ISUID | stat.S_ISGID))


def _missing(target: Path, stubs: dict[str, Path]) -> list[str]:
    image = read.read(target)
    folders = " or ".join(map(str, lookup.folders(_search(image), target)))
    return [f"the search path does not have {name} yet: copy {source} to {folders} (--copy-stubs copies it to the "
            "file's folder)"
            for name, source in stubs.items() if not _finds(image, target, name)]


def _passed_over(target: Path, change: edit.Edit) -> list[str]:
    if any(folder.startswith("$") for folder in change.rpath) and _has_rights(target):
        return ["runs with the rights of its owner or group, so the dynamic linker ignores $ORIGIN: use --rpath with "
                "an absolute folder"]
    return []


def _put(stubs: dict[str, Path], target: Path, image: Image) -> list[str]:
    cpu = installation.find().cpu
    if image.machine != cpu:
        raise Failure(f"{image.path} is for {image.machine}, but the stubs of this anycuda are for {cpu}: copy the "
                      f"stubs of an anycuda for {image.machine} there, and use --rpath '$ORIGIN' in place of "
                      "--copy-stubs")
    folder = target.resolve().parent
    for name, source in stubs.items():
        place = folder / name
        if not (place.exists() and place.samefile(source)):
            with replace.copy(source, place):
                pass
    return [f"copied {', '.join(stubs)} to {folder}"]
