# SPDX-License-Identifier: Apache-2.0
"""The report on a wheel as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from .. import terminal
from . import outcome, unique_notes
from .outcome import Outcome

_INDENT = "  "
_STATUSES = {outcome.REPAIRED: "repaired", outcome.UNCHANGED: "with nothing to repair", outcome.REFUSED: "refused",
             outcome.FAILED: "failed"}  # statuses in the summary


def plan(one: Outcome, verbose: bool, reported: Collection[str] = ()) -> list[str]:
    """`reported`: notes that the report on an earlier wheel has."""
    made, texts, out = one.plan, one.texts, []
    for edit in made.edits:
        out.append(f"{_INDENT}changed   {edit.name}")
        out += [f"{_INDENT * 6}{text}" for text in edit.lines]
        if edit.path:
            out.append(f"{_INDENT * 6}search path: {edit.path} added")
    if verbose:
        out += [f"{_INDENT}kept      {name}" for name in one.untouched]
    out += [f"{_INDENT}added     {name}{_opened_by(made.users.get(name, []))}" for name in made.stubs]
    out += [f"{_INDENT}left out  {name}: {why}" for name, why in made.left_out.items()]
    out += [f"{_INDENT}freed     {change}" for change in texts.changes]
    out += [f"{_INDENT}{line}" for line in texts.about]
    shown = one.notes if verbose else unique_notes.once(one.notes, unique_notes.first_copies(one.scan.sums), reported)
    out += [f"{_INDENT}note      {note}" for note in shown]
    return [terminal.writable(line) for line in out]


def end(one: Outcome) -> list[str]:
    out = []
    if one.status == outcome.REFUSED:
        out = [*(f"{_INDENT}refused   {reason}" for reason in one.reasons), f"{_INDENT}nothing was written"]
    elif one.result is None:  # a dry run
        out = [f"{_INDENT}nothing to repair"] if one.status == outcome.UNCHANGED else []
    else:
        what = "nothing to repair; copied to" if one.status == outcome.UNCHANGED else "written"
        what = "already up to date:" if one.was_there else what
        out = [f"{_INDENT}{what} {one.result} ({one.size / 1e6:.1f} MB)"]
    if one.verdict:
        out.append(f"{_INDENT}verdict: {one.verdict.sentence}")
    return [terminal.writable(line) for line in out]


def summary(found: list[Outcome]) -> str:
    counts = Counter(one.status for one in found)
    return f"{len(found)} wheels: " + ", ".join(f"{counts[status]} {text}" for status, text in _STATUSES.items()
                                                if counts[status])


def _opened_by(files: list[str]) -> str:
    return f", a drop-in: {', '.join(files)} {'opens' if len(files) == 1 else 'open'} that name" if files else ""
