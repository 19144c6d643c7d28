# SPDX-License-Identifier: Apache-2.0
"""The DT_RPATHs that precede LD_LIBRARY_PATH: those of a program and of its linked libraries, found by the rules of the
dynamic linker (ld.so(8)). Libraries that the program opens later are unknown."""

from __future__ import annotations

import glob
import os
import re
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..elf import lookup, read

_MOST = 2000  # libraries; real programs have a few hundred
_CONFIGURATION = "/etc/ld.so.conf"
_MOST_CONFIGURATIONS = 200


@dataclass(frozen=True)
class SearchPath:
    """The folders in the DT_RPATH of `file`."""

    file: Path
    folders: tuple[Path, ...]


def find(program: Path, image: read.Image, variables: Mapping[str, str]) -> tuple[SearchPath, ...]:
    paths = []
    environment = library_path(variables)
    system = [*configured(), *lookup.system(image.machine)]
    waiting: deque[tuple[Path, read.Image, tuple[Path, ...]]] = deque([(program, image, ())])
    searched: set[str] = set()
    while waiting:
        file, contents, inherited = waiting.popleft()
        # If a file has a DT_RUNPATH, the dynamic linker ignores every DT_RPATH for its needs.
        own = lookup.folders(contents.rpath, file) if contents.runpath is None else ()
        if own:
            paths.append(SearchPath(file, own))
        before = own + inherited if contents.runpath is None else ()
        places = [*before, *environment, *lookup.folders(contents.runpath, file), *system]
        for name in contents.needed:
            if name in searched or len(searched) >= _MOST:  # a process searches for a name once
                continue
            searched.add(name)
            library = lookup.library(name, places, image.machine)
            if library:
                waiting.append((*library, own + inherited))
    return tuple(paths)


def library_path(variables: Mapping[str, str]) -> list[Path]:
    """The folders of LD_LIBRARY_PATH."""
    return [Path(folder) for folder in re.split("[:;]", variables.get("LD_LIBRARY_PATH", "")) if folder]


def configured() -> Iterator[Path]:
    """The folders of /etc/ld.so.conf."""
    waiting, count = deque([_CONFIGURATION]), 0
    while waiting and count < _MOST_CONFIGURATIONS:
        count += 1
        try:
            with open(waiting.popleft(), encoding="utf-8", errors="surrogateescape") as file:
                lines = [line.partition("#")[0].split() for line in file]
        except OSError:
            continue
        for fields in lines:
            if fields[:1] == ["include"]:
                waiting.extend(path for form in fields[1:]
                               for path in sorted(glob.glob(os.path.join(os.path.dirname(_CONFIGURATION), form))))
            elif fields:
                yield Path(fields[0])
