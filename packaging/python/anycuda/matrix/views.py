# SPDX-License-Identifier: Apache-2.0
"""The matrix as a table, as counts, and as JSON (the schema is in docs/json.md)."""

from __future__ import annotations

import json
from collections import Counter
from itertools import groupby

from .. import terminal
from .data import KINDS, Disposition, Library, Matrix
from .fold import lines, ranges

SCHEMA = 1
_ABOUT = ("product", "stub", "is_driver", "own_releases", "status", "callers", "runtimes")
COLOURS: dict[str, str] = {
    Disposition.DIRECT: "green",
    Disposition.RENAMED: "green",
    Disposition.ADAPTED: "cyan",
    Disposition.EMULATED: "cyan",
    Disposition.ABSENT: "yellow",
    Disposition.REJECTED: "red",
}


def _heading(library: Library, colour: bool) -> str:
    return terminal.paint(f"{library.name}: {library.product}, {library.stub}", "bold", colour)


def as_table(libraries: list[Library], colour: bool, width: int | None) -> str:
    heads = ["function", "built for", "on", "kind", "calls", "driver", "why"]
    parts = []
    for library in libraries:
        if library.runs:
            rows = [
                (*line[:5], f"{line.driver}+" if line.driver else "", line.reason)
                for line in lines(library)
            ]
            colours = COLOURS if colour else None
            parts.append([_heading(library, colour), *terminal.table(heads, rows, width, colours)])
    return "\n\n".join("\n".join(part) for part in parts) or "no cell matches the selection"


def counts(library: Library) -> list[tuple[str, str, Counter[Disposition]]]:
    """(caller, runtime, cells by kind), in the order of the library's callers and runtimes."""
    by_place: dict[tuple[str, str], Counter[Disposition]] = {}
    for run in library.runs:
        for runtime in run.runtimes:
            by_place.setdefault((run.caller, runtime), Counter())[run.kind] += 1
    return [
        (caller, runtime, by_place[caller, runtime])
        for caller in library.callers
        for runtime in library.runtimes
        if (caller, runtime) in by_place
    ]


def as_summary(libraries: list[Library], colour: bool) -> str:
    heads = ["library", "built for", "on", *KINDS, "cells"]
    rows = []
    for library in libraries:
        for (caller, kinds), group in groupby(counts(library), lambda row: (row[0], row[2])):
            runtimes = ranges(tuple(runtime for _, runtime, _ in group), library)
            numbers = (str(kinds[kind]) for kind in KINDS)
            rows.append((library.name, caller, runtimes, *numbers, str(sum(kinds.values()))))
    if not rows:
        return "no cell matches the selection"
    return "\n".join(terminal.table(heads, rows, colours={} if colour else None, right=True))


def as_json(matrix: Matrix, libraries: list[Library], summary: bool) -> str:
    about = {
        library.name: {key: getattr(library, key) for key in _ABOUT} for library in libraries
    }
    if summary:
        rows = [
            {"library": library.name, "caller": caller, "runtime": runtime,
             "kinds": {kind: kinds[kind] for kind in KINDS}}
            for library in libraries
            for caller, runtime, kinds in counts(library)
        ]
    else:
        rows = [run._asdict() for library in libraries for run in library.runs]
    head = json.dumps({"schema": SCHEMA, "anycuda": matrix.version})
    # One row per line, so that two outputs can be compared.
    return (
        f'{head[:-1]},\n"libraries": {{\n'
        + ",\n".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in about.items())
        + f'\n}},\n"{"counts" if summary else "cells"}": [\n'
        + ",\n".join(map(json.dumps, rows))
        + "\n]}"
    )
