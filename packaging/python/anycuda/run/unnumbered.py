# SPDX-License-Identifier: Apache-2.0
"""Names without a number: programs open libcudart.so by dlopen. A drop-in has the number of its CUDA, which such a name
does not tell. So these names lead to the stubs, which convert nothing for such callers, and only where the dynamic
linker finds no file of that name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from ..analysis.libraries import Table
from ..elf import lookup
from ..installation import Installation
from .private_link import private_folder
from .program import Program
from .search_paths import configured, library_path


def folder(program: Program, installed: Installation, table: Table, ends: str,
           variables: Mapping[str, str]) -> Path | None:
    """A folder with a link to the stub for each name that the dynamic linker does not find for this program. None: it
    finds all names, or does not load the program."""
    if program.problem or program.machine != installed.cpu:
        return None
    places = tuple(dict.fromkeys(_places(program, variables)))
    missing = {name: installed.stub(library).resolve() for name, library in _names(table).items()
               if lookup.library(name, (*places, *lookup.cached(name)), program.machine) is None}
    return private_folder(missing, ends, variables) if missing else None


def _names(table: Table) -> dict[str, str]:
    """libcudart.so -> cudart"""
    return {library.file_prefix: library.name for library in table.libraries.values() if not library.served_by}


def _places(program: Program, variables: Mapping[str, str]) -> Iterator[Path]:
    """The folders in which the dynamic linker looks for what the program opens, besides those of its cache."""
    for search in program.search:
        yield from search.folders
    yield from library_path(variables)
    yield from program.run_path
    yield from configured()
    yield from lookup.system(program.machine)
