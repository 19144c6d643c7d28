# SPDX-License-Identifier: Apache-2.0
"""Instructions of a warm call, over the same call made straight to the real library."""

from __future__ import annotations

from .bench import Bench, progress
from .libraries import FAMILIES, Library
from .report import Section
from .tools import Failure, count_total, missing
from .workspace import exported_functions

# Two counts with as many digits: reading them takes the same number of instructions.
FEW, MANY = 2000, 4000


def per_call(few: int, many: int) -> int | float:
    """Instructions of one call from the totals of FEW and of MANY: whole if all calls are alike."""
    calls = (many - few) / (MANY - FEW)
    return int(calls) if calls == int(calls) else calls


def _count(bench: Bench, function: str, library: Library, real: Library) -> int | float:
    program = str(bench.workspace.warm_program(function, library))
    environment = bench.reaching(library, real)
    held = bench.held(library, real)
    return per_call(*(count_total([program, str(calls), *held], environment)
                      for calls in (FEW, MANY)))


def measure(bench: Bench) -> list[Section]:
    """One row per function and library."""
    section = Section(
        "Warm call",
        "\"through\": the library to which the program is linked; \"direct\" is the real library. \"per call\": the "
        "instructions of one call through the procedure linkage table, with the loop around it (the difference between "
        f"{MANY} calls and {FEW} calls, divided by {MANY - FEW}). \"over direct\": this number, minus the number of "
        "the same program linked to the real library.",
        ["function", "through", "per call", "over direct"])
    if reason := missing("valgrind"):
        section.notes.append(f"left out: {reason}")
        return [section]
    for name, family in FAMILIES.items():
        real = bench.compared(name)
        if real is None:
            section.notes.append(f"{name}: left out, {family.compared} is not there")
            continue
        for function in family.warm:
            progress(f"warm call of {function}")
            direct = _count(bench, function, real, real)
            section.rows.append([function, f"direct, {real.title}", direct, 0])
            for library in bench.in_front(name):
                if function not in exported_functions(library.path):
                    section.notes.append(f"{library.title} does not have {function}")
                    continue
                try:
                    count = _count(bench, function, library, real)
                    section.rows.append([function, library.title, count, count - direct])
                except Failure as failure:
                    section.notes.append(f"{library.title}, {function}: {failure}")
    return [section]
