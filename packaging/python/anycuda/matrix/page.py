# SPDX-License-Identifier: Apache-2.0
"""docs/cross-major-cells.md: all calls that do not work across majors, with reasons, as Markdown."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from typing import NamedTuple

from . import fold
from .data import Library, Matrix, Run, major_of

WIDTH = 110
COMMAND = "anycuda matrix --markdown > docs/cross-major-cells.md"
_INTRO = f"""\
# What does not cross majors

The calls that return an error because the program was built for another CUDA major than the installed one.
All other calls work: [cross-major.md](cross-major.md) explains how, and `anycuda matrix` shows all of them,
release by release. "12 on 13" is a program built for CUDA 12 on a machine with CUDA 13. `f` (`_ptsz`) stands
for two functions; the second is the form for per-thread default streams.

Written by `{COMMAND}`; do not edit.
"""
_NO_BREAK = "\xa0"
_SUFFIX = re.compile(r"_pts[zd]$")


class Item(NamedTuple):
    symbol: str
    direction: tuple[str, str]  # caller, and the runtime's major or first release
    reason: str


def markdown(matrix: Matrix) -> str:
    parts = [_INTRO]
    for library in matrix.libraries.values():
        parts.append(f"## {library.product} (`{library.stub}`)\n")
        if library.is_driver:
            parts += _driver(library)
        else:
            parts += _own_releases(library) if library.own_releases else _sections(library)
    return "\n".join(parts)


def _sections(library: Library) -> Iterable[str]:
    across = [run for run in library.runs if major_of(run.runtimes[0]) != run.caller]
    rejected = [_item(run) for run in across if run.kind == "rejected"]
    absent = [run for run in across if run.kind == "absent"]
    never = [_item(run) for run in absent if not run.since]
    newer = [item for item in never if item.reason.startswith("not yet")]
    gone = [item for item in never if item not in newer]
    later = [
        Item(run.symbol, (run.caller, major_of(run.since)), f"since {run.since}")
        for run in absent
        if run.since
    ]
    driver = [
        Item(run.symbol, (run.caller, major_of(run.runtimes[0])), f"driver of CUDA {run.driver}")
        for run in across
        if run.driver
    ]
    absent_status = library.status["absent"]
    for title, items in (
        (f"Rejected: error {library.status['rejected']}", rejected),
        (f"Absent: error {absent_status}", gone),
        (f"Newer than the installed CUDA: error {absent_status}", newer),
        (f"Only since a later release of the major, before that error {absent_status}", later),
        (f"Only with a driver that is new enough, otherwise error {absent_status}", driver),
    ):
        if items:
            yield f"### {title}\n"
            yield from _groups(items)
    if not rejected and not absent:
        yield "Nothing.\n"


def _driver(library: Library) -> Iterable[str]:
    branches = tuple(runtime for runtime in library.runtimes if "." not in runtime)
    yield textwrap.fill(
        "A driver has no majors: a function either works, or is newer than the driver and returns "
        f"error {library.status['absent']}. Branches of the driver: {', '.join(branches)}.",
        WIDTH,
    ) + "\n"
    absent: dict[tuple[str, str], list[str]] = {}
    for run in library.runs:
        if run.kind == "absent":
            reason = re.sub(r".*\((.*)\)$", r"\1", run.reason)
            absent.setdefault((run.symbol, reason), []).extend(run.runtimes)
    yield from _groups([Item(symbol, ("", fold.ranges(tuple(on), library)), reason)
                        for (symbol, reason), on in absent.items()])


def _own_releases(library: Library) -> Iterable[str]:
    first, last = (release.partition("-")[2] for release in (library.runtimes[0], library.runtimes[-1]))
    yield textwrap.fill(
        f"Its releases are numbered independently of CUDA, and its functions are the same for every CUDA. A function "
        f"that the installed release lacks returns error {library.status['absent']}. Harvested: {first} to {last}.",
        WIDTH,
    ) + "\n"
    rejected, absent = ([run for run in library.runs if run.kind == kind] for kind in ("rejected", "absent"))
    if rejected:  # for callers of an earlier major of the library, by releases that have the function
        yield f"Rejected, with error {library.status['rejected']}, and absent:\n"
    product = library.product.split(" (")[0]
    yield from _groups(list(dict.fromkeys(Item(run.symbol, ("", product), run.reason) for run in [*rejected, *absent])))


def _item(run: Run) -> Item:
    """The entry of a run. The direction already names the majors, so the reason drops them, and drops the pair of
    releases that showed a difference, which the matrix has."""
    reason = re.sub(r" \(built for [^)]*\)$", "", run.reason)
    reason = re.sub(r"^(not yet|no longer|not) in \d+ ", r"\1 there ", reason)
    return Item(run.symbol, (run.caller, major_of(run.runtimes[0])), reason)


def _groups(items: list[Item]) -> Iterable[str]:
    """Groups functions with the same reason in the same directions."""
    directions: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for item in items:
        directions.setdefault((item.symbol, item.reason), []).append(item.direction)
    groups: dict[tuple[str, str], list[str]] = {}
    for (symbol, reason), found in directions.items():
        groups.setdefault((_spell(found), reason), []).append(symbol)
    for (where, reason), symbols in sorted(groups.items(), key=_natural):
        head = textwrap.wrap(f"- **{where}**: {reason}", WIDTH, subsequent_indent="  ")
        names = textwrap.wrap(_fold(symbols), WIDTH, initial_indent="  ", subsequent_indent="  ")
        head[-1] += "\\"  # a line break
        yield "\n".join(head + names).replace(_NO_BREAK, " ")
    yield ""


def _natural(group: tuple[tuple[str, str], list[str]]) -> list:
    """The sort key: by direction, then by reason; 12.10 comes after 12.9."""
    return [
        [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", text)]
        for text in group[0]
    ]


def _spell(directions: list[tuple[str, str]]) -> str:
    """11 on 13; 12 on 11 or 13"""
    runtimes: dict[str, list[str]] = {}
    for caller, runtime in directions:
        runtimes.setdefault(caller, []).append(runtime)
    callers: dict[str, list[str]] = {}
    for caller, on in runtimes.items():
        callers.setdefault(" or ".join(on), []).append(caller)
    return "; ".join(f"{' or '.join(built)} on {on}".strip() for on, built in callers.items())


def _fold(symbols: list[str]) -> str:
    forms: dict[str, list[str]] = {}
    for symbol in symbols:
        base = _SUFFIX.sub("", symbol)
        forms.setdefault(base if base in symbols else symbol, []).append(symbol)
    parts = []
    for base, found in forms.items():
        others = ", ".join(f"`{name[len(base):]}`" for name in found if name != base)
        parts.append(f"`{base}`{_NO_BREAK}({others})" if others else f"`{base}`")
    return ", ".join(parts)
