# SPDX-License-Identifier: Apache-2.0
"""Memory of a process that has loaded a library, and that has called it once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .bench import Bench, progress
from .libraries import FAMILIES, first_function
from .memory import Moment, read_moments, settle
from .report import Section
from .tools import Failure, run


def measure(bench: Bench) -> list[Section]:
    """One row per library, in the environment of its shortest way to the real one."""
    section = Section(
        "Memory",
        "Kilobytes from /proc/self/smaps, after the load and after a first call. \"resident\" and \"dirty\": the "
        "memory in the library's own address range, with its zero-initialised data. \"process\": the growth of the "
        "whole process since before the load: the library, its dependencies and the heap, and after a call through a "
        "stub also the real library. Dirty pages are private pages to which the process has written: no other process "
        "can share them.",
        ["library", "resident", "dirty", "process resident", "process dirty",
         "after a call: resident", "after a call: dirty", "after a call: process resident",
         "after a call: process dirty"])
    for name in FAMILIES:
        for library in bench.select(name):
            real = bench.compared(name)
            if real is None:
                continue
            progress(f"memory of {library.title}")
            settle(library.path)
            command = bench.probe("--memory", "--load", library.path, "--call",
                                  first_function(library))
            try:
                moments = read_moments(run(command, bench.reaching(library, real)))
            except Failure as failure:
                section.notes.append(f"{library.title}: {failure}")
                continue
            row: list[Any] = [library.title]
            for moment in ("loaded", "called"):
                row += _columns(moments[moment], moments["start"], library.path)
            section.rows.append(row)
    return [section]


def _columns(moment: Moment, start: Moment, file: Path) -> list[int]:
    own, grown = moment.amount_of(file), moment.whole() - start.whole()
    return [own.resident, own.dirty, grown.resident, grown.dirty]
