# SPDX-License-Identifier: Apache-2.0
"""Merges runs for readers: releases into ranges, callers with the same outcome into one line."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import NamedTuple

from .data import Library, Run


class Line(NamedTuple):
    symbol: str
    callers: str
    runtimes: str
    kind: str
    calls: str
    driver: str
    reason: str


def ranges(chosen: Iterable[str], library: Library) -> str:
    """12.3-12.9,13.1: a range covers all releases of the library between its ends. The newest cuda.h, which is listed
    among the driver's branches, is separate: 535-615,13.5."""
    parts = spans(chosen, library)
    return ",".join(part[0] if len(part) == 1 else f"{part[0]}-{part[-1].rpartition('-')[2]}" for part in parts)


def spans(chosen: Iterable[str], library: Library) -> list[list[str]]:
    """Each with the releases between which the library has no other one."""
    parts: list[list[str]] = []
    last = None
    for place in sorted(library.runtimes.index(runtime) for runtime in chosen):
        release = library.runtimes[place]
        is_header = library.is_driver and "." in release
        if last is not None and place == last + 1 and not is_header:
            parts[-1].append(release)
        else:
            parts.append([release])
        last = place
    return parts


def lines(library: Library) -> list[Line]:
    """A line for all releases and callers with the same outcome for a function."""
    result = []
    for symbol, group in groupby(library.runs, lambda run: run.symbol):
        rows = []
        answers: dict[tuple[str, str, str, str], dict[str, list[str]]] = {}
        for run in group:
            by_caller = answers.setdefault(_answer(run), {})
            by_caller.setdefault(run.caller, []).extend(run.runtimes)
        for answer, by_caller in answers.items():
            callers: dict[tuple[str, ...], list[str]] = {}
            for caller, runtimes in by_caller.items():
                callers.setdefault(tuple(runtimes), []).append(caller)
            for alike, names in callers.items():
                line = Line(symbol, ",".join(names), ranges(alike, library), *answer)
                rows.append((names[0], library.runtimes.index(alike[0]), line))
        result += [line for _, _, line in sorted(rows)]
    return result


def _answer(run: Run) -> tuple[str, str, str, str]:
    """The outcome without `since`, which the ranges show."""
    calls = run.needs or (run.target,)
    return run.kind, ", ".join(calls) if calls != (run.symbol,) else "", run.driver, run.reason
