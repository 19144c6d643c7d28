# SPDX-License-Identifier: Apache-2.0
"""Registering very many kernels at load, and what becomes of them at the first real call."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .bench import Bench, progress, wall
from .libraries import FAMILIES, REAL, SHIM, Library
from .memory import read_moments, settle
from .report import Section
from .tools import Failure, count_phases, missing, run
from .workspace import FAT_BINARIES, NAME_SIZE, REGISTERED, VARIABLES, exported_functions

FAMILY = "cudart"
NEEDED = "__cudaRegisterFatBinaryEnd"


@dataclass
class Cost:
    """What the objects add to one library's load (first item of each) and first call (second)."""

    instructions: list[int]
    nanoseconds: list[int]
    dirty: list[int]
    opened_at_load: bool

    def __sub__(self, other: Cost) -> Cost:
        def less(mine: list[int], others: list[int]) -> list[int]:
            return [a - b for a, b in zip(mine, others)]

        return Cost(less(self.instructions, other.instructions),
                    less(self.nanoseconds, other.nanoseconds), less(self.dirty, other.dirty),
                    self.opened_at_load)


def measure(bench: Bench) -> list[Section]:
    """One row per library."""
    real = bench.compared(FAMILY)
    section = Section(
        "Registration",
        f"The static constructors of a shared object register {FAT_BINARIES} fat binaries with "
        f"{REGISTERED - VARIABLES:,} kernels and {VARIABLES} variables (names of {NAME_SIZE} bytes). \"load\": the "
        "cost of the registration calls during the load. It is the cost of loading this object with the library in "
        "the column \"registered with\", minus the cost of loading only this library. \"first call\": the cost of the "
        "first call, minus the cost of a first call without the object. The benchmark also measures both costs with a "
        "library whose registration functions do nothing, and subtracts the results: that part of the cost comes from "
        "the object itself (its relocations, the loop over its calls), not from the library. Each cost is given in "
        "instructions, microseconds (median wall time) and kilobytes of the process's dirty memory. \"per item\": the "
        "instructions of load and first call, divided by the number of fat binaries, kernels and variables. \"opens at "
        "load\": whether the load opens the real library.",
        ["registered with", "load: instructions", "load: us", "load: dirty kB", "first call: instructions",
         "first call: us", "first call: dirty kB", "per item", "opens at load"])
    if real is None:
        section.notes.append(f"left out: {FAMILIES[FAMILY].compared} is not there")
        return [section]
    progress("building the registering objects")
    bench.workspace.objects_object()
    nothing = Library("nothing", SHIM, FAMILY, bench.workspace.no_registry())
    base = _cost(bench, nothing, nothing)
    for library in bench.select(FAMILY):
        if NEEDED not in exported_functions(library.path):
            section.notes.append(f"{library.title} has no registration functions")
            continue
        progress(f"registration with {library.title}")
        try:
            section.rows.append(_row(library.title, _cost(
                bench, library, library if library.kind == REAL else real) - base))
        except Failure as failure:
            section.notes.append(f"{library.title}: {failure}")
    if reason := missing("valgrind"):
        section.notes.append(f"instructions left out: {reason}")
    return [section]


def _row(title: str, cost: Cost) -> list[Any]:
    row: list[Any] = [title]
    for phase in (0, 1):
        row += [cost.instructions[phase] if cost.instructions else None,
                cost.nanoseconds[phase] // 1000, cost.dirty[phase]]
    per_item = sum(cost.instructions) / (FAT_BINARIES + REGISTERED) if cost.instructions else None
    return [*row, per_item, "yes" if cost.opened_at_load else "no"]


def _cost(bench: Bench, library: Library, real: Library) -> Cost:
    """With the objects, less the library and its first call alone."""
    environment = bench.reaching(library, real)
    for path in (library.path, bench.workspace.objects_library(library)):
        settle(path)
    full, alone = (bench.probe("--load", path, "--call", FAMILIES[FAMILY].first)
                   for path in (bench.workspace.objects_library(library), library.path))
    with_objects, without = (_dirty([*command, "--memory"], environment, real.path)
                             for command in (full, alone))
    cost = Cost([], [], [a - b for a, b in zip(with_objects[0], without[0])], with_objects[1])
    for phase in ("load", "call"):
        times = wall(bench, {"full": (full, environment), "alone": (alone, environment)}, (phase,))
        cost.nanoseconds.append(times["full"] - times["alone"])
    if not missing("valgrind"):
        phases = ["phase_load", "phase_call"]
        counts, less = (count_phases(command, environment, phases) for command in (full, alone))
        cost.instructions = [counts[phase] - less[phase] for phase in phases]
    return cost


def _dirty(command: list[str], environment: dict[str, str],
           real: Path) -> tuple[list[int], bool]:
    """Dirty kilobytes that the load and the call add, and whether the load opened `real`."""
    moments = read_moments(run(command, environment))
    start, loaded, called = (moments[moment].whole().dirty
                             for moment in ("start", "loaded", "called"))
    return [loaded - start, called - loaded], moments["loaded"].holds(real)
