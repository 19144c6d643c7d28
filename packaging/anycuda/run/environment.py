"""What a program's environment becomes, and what may keep that from working. Nothing here changes anything."""

from __future__ import annotations

from pathlib import Path
from typing import Mapping

from ..failure import Failure
from ..installation import Installation
from ..uses.libraries import Table
from .program import Program

LIBRARY_PATH, PRELOAD, LOG = "LD_LIBRARY_PATH", "LD_PRELOAD", "ANYCUDA_LOG"
# What ends a name in these variables, so that no name can hold it.
_ENDS = {LIBRARY_PATH: ":;", PRELOAD: ": \t\n"}


def changes(installed: Installation, table: Table, preload: bool, log: str | None,
            variables: Mapping[str, str]) -> dict[str, str]:
    """The variables that get another value."""
    name = PRELOAD if preload else LIBRARY_PATH
    if preload:
        added = [str(installed.stub(library)) for library in table.libraries]
    else:
        added = [str(installed.folder("dropins"))]
    for path in added:
        if any(end in path for end in _ENDS[name]):
            raise Failure(f"{path} cannot stand in {name}, where {' and '.join(map(repr, _ENDS[name]))} end a name: "
                          "install anycuda elsewhere")
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
        found += [f"{program.file}: its DT_RPATH leads to {path}, which comes before LD_LIBRARY_PATH and is used; "
                  "--preload or `anycuda patch` put the stub before it" for path in _before(program, installed, table)]
    return found


def _before(program: Program, installed: Installation, table: Table) -> list[Path]:
    """The CUDA libraries that a DT_RPATH finds first."""
    dropins = installed.folder("dropins").resolve()
    names = [major.soname for library in table.libraries.values() for major in library.majors.values()]
    return [folder / name for folder in program.search if folder.resolve() != dropins
            for name in names if (folder / name).is_file()]
