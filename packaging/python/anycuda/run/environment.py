# SPDX-License-Identifier: Apache-2.0
"""The environment of the program, and warnings about programs on which it has no effect."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from ..analysis.libraries import Table, is_anycudas
from ..elf import ElfError, read
from ..installation import Installation
from . import unnumbered
from .private_link import link_to
from .program import Program

LIBRARY_PATH, PRELOAD, LOG = "LD_LIBRARY_PATH", "LD_PRELOAD", "ANYCUDA_LOG"
_SYSTEM_PRELOAD = "/etc/ld.so.preload"
# Characters that end an entry in these variables, or begin a name that the dynamic linker replaces ($ORIGIN): ld.so(8).
_ENDS = {LIBRARY_PATH: ":;$", PRELOAD: ": \t\n$"}


def changes(installed: Installation, table: Table, preload: bool, log: str | None, variables: Mapping[str, str],
            unnumbered_folder: Path | None = None) -> dict[str, str]:
    """The changed variables. If a folder's path contains a forbidden character, a link to the folder is used.

    Preloaded stubs come after the libraries that the user and the system preload: these hook CUDA's functions."""
    name = PRELOAD if preload else LIBRARY_PATH
    folder = installed.folder("stubs" if preload else "dropins")
    entry = folder
    if any(end in str(folder) for end in _ENDS[name]):
        entry = link_to(folder, _ENDS[name], variables)
    # An empty entry means the current folder, so an empty variable must not add one.
    present = [variables[name]] if variables.get(name) else []
    if preload:
        stubs = [str(entry / installed.stub(library).name) for library in table.libraries]
        value = ":".join([*present, *_preloaded_by_system(), *stubs])
    else:
        value = ":".join([str(entry), *present, *([str(unnumbered_folder)] if unnumbered_folder else [])])
    return {name: value, **({LOG: log} if log is not None else {})}


def serve_unnumbered(program: Program, installed: Installation, table: Table,
                     variables: Mapping[str, str]) -> tuple[Path | None, str]:
    """(the folder that comes last in LD_LIBRARY_PATH, or None; why it could not be made, or "")"""
    try:
        return unnumbered.folder(program, installed, table, _ENDS[LIBRARY_PATH], variables), ""
    except OSError as error:
        return None, ("names without a number, such as libcudart.so, are not served, since no links could be made "
                      f"({error}): set TMPDIR to a directory that you may write to")


def _preloaded_by_system() -> list[str]:
    """The dynamic linker preloads these after LD_PRELOAD's entries: ld.so(8), rtld.c of glibc for the separators."""
    try:
        text = Path(_SYSTEM_PRELOAD).read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return []
    return [entry for entry in re.split(r"[\s:]+", re.sub(r"#.*", "", text)) if entry]


def warnings(program: Program, installed: Installation, table: Table, preload: bool) -> list[str]:
    name = PRELOAD if preload else LIBRARY_PATH
    if program.problem:
        return [f"{program.file}: {program.problem}, so {name} has no effect on it"]
    if not program.machine:
        return [f"{program.file} cannot be read, so it is unknown whether {name} has an effect on it"]
    notes = []
    if program.machine != installed.cpu:
        notes.append(f"{program.file} is for {program.machine}, this anycuda for {installed.cpu}; the dynamic linker "
                     + ("reports an error for each preloaded stub" if preload else "skips the drop-ins")
                     + ("" if "32-bit" in program.machine else f": use an anycuda for {program.machine}"))
    if program.privileged:
        notes.append(f"{program.file} runs with the rights of another user, so the dynamic linker ignores {name}: "
                     "use `anycuda patch` and --rpath with an absolute folder")
    if not preload:
        notes += [f"{file} uses {path}, since its DT_RPATH precedes LD_LIBRARY_PATH: use --preload or `anycuda patch`"
                  for file, path in _before(program, installed, table)]
    return notes


def _before(program: Program, installed: Installation, table: Table) -> list[tuple[Path, Path]]:
    """(first file with the DT_RPATH, path) for the CUDA libraries that a DT_RPATH finds first. NVIDIA's libraries,
    which find each other that way, do not count."""
    dropins = installed.folder("dropins").resolve()
    names = [major.soname for library in table.libraries.values() for major in library.majors.values()]
    paths: dict[Path, Path] = {}
    for search in program.search:
        if table.is_of_cuda(search.file.name):
            continue
        for folder in search.folders:
            if folder.resolve() != dropins:
                paths.update({folder / name: search.file for name in names if folder / name not in paths
                              and (folder / name).is_file() and not _is_dropin(folder / name)})
    return [(file, path) for path, file in paths.items()]


def _is_dropin(path: Path) -> bool:
    """Is it a drop-in, such as a repaired wheel has next to its programs? It works like this anycuda's."""
    try:
        return is_anycudas(read.read(path))
    except ElfError:
        return False
