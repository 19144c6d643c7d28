# SPDX-License-Identifier: Apache-2.0
"""What every measurement needs: the libraries, the helper programs, and the environments."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from . import tools
from .libraries import FAMILIES, OURS, REAL, TILELANG, Library
from .workspace import Workspace, alias


@dataclass
class Bench:
    """Handed to each measurement."""

    libraries: list[Library]
    workspace: Workspace
    repeats: int

    def select(self, family: str, *kinds: str) -> list[Library]:
        """The libraries of a family, of the given kinds or of all."""
        return [lib for lib in self.libraries
                if lib.family == family and (not kinds or lib.kind in kinds)]

    def compared(self, family: str) -> Library | None:
        """The real library that the stubs and the peers hand their calls to."""
        return self.titled(FAMILIES[family].compared)

    def titled(self, title: str) -> Library | None:
        """The library of that title."""
        return next((lib for lib in self.libraries if lib.title == title), None)

    def in_front(self, family: str) -> list[Library]:
        """What is put in front of a real library: the stub, its drop-in, the peers."""
        return [lib for lib in self.select(family) if lib.kind != REAL]

    def reaching(self, library: Library, real: Library) -> dict[str, str]:
        """The environment in which `library` hands its calls to `real`, by its own shortest way."""
        if library.kind == OURS:
            return self.loading(library) | {FAMILIES[library.family].variable: str(real.path)}
        if library.kind == REAL:
            return self.loading(library)
        return self.bare() | self.search_path([real, *self.needed(library)])

    def held(self, library: Library, real: Library) -> list[str]:
        """What a process must hold for `library` to hand its calls to `real`.

        TileLang's stubs take what is loaded; else they also look in the system's own places, which
        differ by machine.
        """
        return [str(real.path)] if library.kind == TILELANG else []

    def needed(self, library: Library) -> list[Library]:
        """What the family's real library needs."""
        return [need for need in map(self.titled, FAMILIES[library.family].needs) if need]

    def loading(self, library: Library) -> dict[str, str]:
        """The bare environment, and what the family's real library needs."""
        needed = self.needed(library)
        return self.bare() | (self.search_path(needed) if needed else {})

    def bare(self) -> dict[str, str]:
        """An environment in which the stubs find nothing on this machine."""
        return {"ANYCUDA_SYSTEM_ROOT": str(self.workspace.empty_root)}

    def search_path(self, libraries: list[Library]) -> dict[str, str]:
        """LD_LIBRARY_PATH with one folder per library, each holding nothing else."""
        folders = [str(alias(self.workspace.folder, library)) for library in libraries]
        return {"LD_LIBRARY_PATH": ":".join(folders)}

    def probe(self, *words: object) -> list[str]:
        """The command line of the probe."""
        return [str(self.workspace.probe), *map(str, words)]


def progress(text: str) -> None:
    """Long work shows where it is; results alone go to standard output."""
    print(f"bench: {text}", file=sys.stderr, flush=True)


def median(values: list[int]) -> int:
    """The middle value: a busy moment of the machine does not move it."""
    return sorted(values)[len(values) // 2]


def wall(bench: Bench, runs: dict[str, tuple[list[str], dict[str, str]]],
         phases: tuple[str, ...]) -> dict[str, int]:
    """Median nanoseconds of the phases' sum for every run, taken in turns."""
    times: dict[str, list[int]] = {name: [] for name in runs}
    for _ in range(bench.repeats):
        for name, (command, environment) in runs.items():
            values = tools.read_values(tools.run(command, environment))
            times[name].append(sum(values[f"{phase}_ns"] for phase in phases))
    return {name: median(taken) for name, taken in times.items()}
