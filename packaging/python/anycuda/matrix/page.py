# SPDX-License-Identifier: Apache-2.0
"""docs/cross-major-cells.md: all calls that do not work across majors, with reasons, as Markdown."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from . import fold
from .data import Disposition, Library, Matrix, Run, major_of

WIDTH = 110
COMMAND = "anycuda matrix --markdown > docs/cross-major-cells.md"
_INTRO = f"""\
# What does not cross majors

The calls that return an error because the program was built for another CUDA major than the installed one.
All other calls work: [cross-major.md](cross-major.md) explains how, and `anycuda matrix` shows all of them,
release by release. "12 on 13" is a program built for CUDA 12 on a machine with CUDA 13. A rejected function
exists in the installed CUDA, but the program cannot call it safely; the installed CUDA lacks an absent
function. `f` (`_ptsz`) stands for two functions; the second is the form for per-thread default streams.

Written by `{COMMAND}`; do not edit.
"""
_NO_BREAK = "\xa0"
_SUFFIX = re.compile(r"_pts[zd]$")
_WORKS, _ADDED = "works from", "added in"  # how the reasons of two sections begin
_ALL = ("", "")  # the direction of what holds for every caller on every release


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
    by_outcome: dict[str, list[Item]] = {}
    for run in library.runs:
        if major_of(run.runtimes[0]) == run.caller:
            continue
        item = _item(run)
        if run.kind is Disposition.ABSENT:
            key = next((start for start in (_WORKS, _ADDED) if item.reason.startswith(start)), run.kind)
            by_outcome.setdefault(key, []).append(item)
        elif run.kind is Disposition.REJECTED:
            by_outcome.setdefault(run.kind, []).append(item)
        if run.driver:
            by_outcome.setdefault("driver", []).append(
                item._replace(reason=f"needs a driver of CUDA {run.driver} or later"))
    status = library.status["absent"]
    yield from _titled({
        f"Rejected: error {library.status['rejected']}": by_outcome.get("rejected"),
        f"Absent: error {status}": by_outcome.get("absent"),
        f"Added in a later major than the installed one: error {status}": by_outcome.get(_ADDED),
        f"Absent only in the first releases of the installed major: error {status}": by_outcome.get(_WORKS),
        f"Only with a new enough driver: error {status} if the driver is older": by_outcome.get("driver"),
    })
    if not by_outcome:
        yield "All calls work.\n"


def _titled(sections: Mapping[str, list[Item] | None]) -> Iterable[str]:
    for title, items in sections.items():
        if items:
            yield f"### {title}\n"
            yield from _groups(items)


def _driver(library: Library) -> Iterable[str]:
    branches = tuple(runtime for runtime in library.runtimes if "." not in runtime)
    yield textwrap.fill(
        "This library is a part of the driver, and its functions are the same for every caller. Each line names the "
        f"driver branches that lack the functions (a call returns error {library.status['absent']} there), and the "
        f"first CUDA whose `{library.name}.h` declares them. Known branches: {', '.join(branches)}.",
        WIDTH,
    ) + "\n"
    absent: dict[tuple[str, str], list[str]] = {}
    for run in library.runs:
        if run.kind is Disposition.ABSENT:
            absent.setdefault((run.symbol, run.since), []).extend(run.runtimes)
    yield from _groups([
        Item(symbol, ("", fold.ranges(tuple(on), library)), _declared(since, tuple(on) == branches, library))
        for (symbol, since), on in absent.items()
    ])


def _declared(since: str, nowhere: bool, library: Library) -> str:
    """The newest header may be ahead of all branches; what an older one declares and no branch has is another case."""
    if not since:
        return "declared by no header"
    old = since != library.runtimes[-1]
    return f"declared since {since}" + (", but absent on every branch" if nowhere and old else "")


def _own_releases(library: Library) -> Iterable[str]:
    yield textwrap.fill(
        "Its releases are numbered independently of CUDA, and its functions are the same for every CUDA. A function "
        f"that the installed release lacks returns error {library.status['absent']}.",
        WIDTH,
    ) + "\n"
    rejected, absent, later = [], [], []
    for symbol, runs in groupby(library.runs, lambda run: run.symbol):
        outcomes = list(runs)
        having = [runtime for run in outcomes if run.kind is not Disposition.ABSENT for runtime in run.runtimes]
        rejected += [_for_all(run) for run in outcomes if run.kind is Disposition.REJECTED]
        if not having:
            absent += [_for_all(run) for run in outcomes]
        elif any(run.kind is Disposition.ABSENT for run in outcomes):
            later.append(Item(symbol, _ALL, _having(having, library)))
    # Only callers of an earlier major of the library have these two.
    yield from _titled({f"Rejected: error {library.status['rejected']}": rejected,
                        f"Absent: error {library.status['absent']}": absent})
    if later:
        releases = ", ".join(map(_own_name, library.runtimes))
        yield textwrap.fill(
            f"anycuda knows the functions of these releases: {releases}. "
            f"Two numbers, as in {_own_name(library.runtimes[-1])}, mean the last release with these two numbers. Each "
            "line names the releases that have the functions.",
            WIDTH,
        ) + "\n"
        yield from _groups(later, list(map(_own_name, library.runtimes)))


def _own_name(runtime: str) -> str:
    return runtime.partition("-")[2]


def _having(releases: list[str], library: Library) -> str:
    """only 9.2.0; 9.5 to 9.7, and from 9.28 on"""
    parts = []
    for span in fold.spans(releases, library):
        start, end = _own_name(span[0]), _own_name(span[-1])
        closed = start if start == end else f"{start} to {end}"
        parts.append(f"from {start} on" if span[-1] == library.runtimes[-1] else closed)
    return ("" if parts[-1].startswith("from") else "only ") + ", and ".join(parts)


def _for_all(run: Run) -> Item:
    return _item(run)._replace(direction=_ALL)


def _item(run: Run) -> Item:
    """The entry of a run. The direction already names the majors, so the reason drops them, and drops the pair of
    releases that showed a difference, which the matrix has."""
    major = major_of(run.runtimes[0])
    if run.kind is Disposition.ABSENT and run.since:
        return Item(run.symbol, (run.caller, major),
                    f"{_WORKS} {run.since} on" if major_of(run.since) == major else f"{_ADDED} {run.since}")
    reason = re.sub(r" \(built for [^)]*\)$", "", run.reason)
    reason = re.sub(r"^not yet in \d+ \(first in (.*)\)$", rf"{_ADDED} \1", reason)
    reason = re.sub(r"^(?:no longer in \d+ \(last in (.*)\)|not after (.*))$", r"removed after \1\2", reason)
    return Item(run.symbol, (run.caller, major), reason)


def _groups(items: list[Item], releases: Sequence[str] = ()) -> Iterable[str]:
    """Groups functions with the same reason in the same directions. With `releases`, in their order, the group whose
    reason begins with the oldest release comes first."""
    directions: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for item in dict.fromkeys(items):
        directions.setdefault((item.symbol, item.reason), []).append(item.direction)
    groups: dict[tuple[str, str], list[str]] = {}
    for (symbol, reason), where_to in directions.items():
        groups.setdefault((_spell(where_to), reason), []).append(symbol)
    ordered = sorted(groups.items(), key=lambda group: (_first(group, releases), _natural(group)))
    for (where, reason), symbols in ordered:
        text = f"- **{where}**: {reason}" if where else f"- {reason}"
        head = textwrap.wrap(text, WIDTH, subsequent_indent="  ")
        names = textwrap.wrap(_fold(symbols), WIDTH, initial_indent="  ", subsequent_indent="  ")
        head[-1] += "\\"  # a line break
        yield "\n".join(head + names).replace(_NO_BREAK, " ")
    yield ""


def _first(group: tuple[tuple[str, str], list[str]], releases: Sequence[str]) -> int:
    """2.28.3 precedes 2.28, which is the last release with these two numbers."""
    release = re.search(r"\d[\d.]*", group[0][1]) if releases else None
    return releases.index(release[0]) if release and release[0] in releases else 0


def _natural(group: tuple[tuple[str, str], list[str]]) -> list[list[tuple[int, str]]]:
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
    return "; ".join(f"{' or '.join(built)} on {on}".strip() if on else "" for on, built in callers.items())


def _fold(symbols: list[str]) -> str:
    forms: dict[str, list[str]] = {}
    for symbol in symbols:
        base = _SUFFIX.sub("", symbol)
        forms.setdefault(base if base in symbols else symbol, []).append(symbol)
    parts = []
    for base, names in forms.items():
        others = ", ".join(f"`{name[len(base):]}`" for name in names if name != base)
        parts.append(f"`{base}`{_NO_BREAK}({others})" if others else f"`{base}`")
    return ", ".join(parts)
