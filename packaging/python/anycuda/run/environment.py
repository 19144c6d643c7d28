# SPDX-License-Identifier: Apache-2.0
"""What a program's environment becomes, and what may keep that from working."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..analysis.libraries import Table, is_anycudas
from ..elf import ElfError, read
from ..installation import Installation
from .private_link import link_to
from .program import Program

LIBRARY_PATH, PRELOAD, LOG = "LD_LIBRARY_PATH", "LD_PRELOAD", "ANYCUDA_LOG"
# What ends an entry in these variables, or begins a name that the dynamic linker replaces ($ORIGIN): ld.so(8).
_ENDS = {LIBRARY_PATH: ":;$", PRELOAD: ": \t\n$"}


def changes(installed: Installation, table: Table, preload: bool, log: str | None,
            variables: Mapping[str, str]) -> dict[str, str]:
    """The variables that get another value. Where a folder's path cannot stand in one, a link to it does."""
    name = PRELOAD if preload else LIBRARY_PATH
    folder = installed.folder("stubs" if preload else "dropins")
    entry = folder
    if any(end in str(folder) for end in _ENDS[name]):
        entry = link_to(folder, _ENDS[name], variables)
    added = [str(entry / installed.stub(library).name) for library in table.libraries] if preload else [str(entry)]
    # An empty entry is the current folder: so nothing is added for a variable that is empty.
    value = ":".join([*added, variables[name]] if variables.get(name) else added)
    return {name: value, **({LOG: log} if log is not None else {})}


def warnings(program: Program, installed: Installation, table: Table, preload: bool) -> list[str]:
    name = PRELOAD if preload else LIBRARY_PATH
    if program.problem:
        return [f"{program.file}: {program.problem}; {name} changes nothing for it"]
    if not program.machine:
        return [f"{program.file} cannot be read, so nobody can say whether {name} reaches it"]
    found = []
    if program.machine != installed.cpu:
        found.append(f"{program.file} is for {program.machine}, this anycuda for {installed.cpu}; the dynamic linker "
                     + ("complains of each preloaded stub" if preload else "passes the drop-ins over"))
    if program.privileged:
        found.append(f"{program.file} runs with the rights of another user, for whom the dynamic linker ignores {name}")
    if not preload:
        found += [f"{file}: its DT_RPATH leads to {path}, which comes before LD_LIBRARY_PATH and is used; --preload or "
                  "`anycuda patch` put the stub before it" for file, path in _before(program, installed, table)]
    return found


def _before(program: Program, installed: Installation, table: Table) -> list[tuple[Path, Path]]:
    """The CUDA libraries that a DT_RPATH finds first, each with the first file that has it. NVIDIA's own libraries find
    each other so."""
    dropins = installed.folder("dropins").resolve()
    names = [major.soname for library in table.libraries.values() for major in library.majors.values()]
    found: dict[Path, Path] = {}
    for search in program.search:
        if table.is_of_cuda(search.file.name):
            continue
        for folder in search.folders:
            if folder.resolve() != dropins:
                found.update({folder / name: search.file for name in names if folder / name not in found
                              and (folder / name).is_file() and not _is_dropin(folder / name)})
    return [(file, path) for path, file in found.items()]


def _is_dropin(path: Path) -> bool:
    """As a repaired wheel has it beside its programs, which does the same as this anycuda's."""
    try:
        return is_anycudas(read.read(path))
    except ElfError:
        return False
