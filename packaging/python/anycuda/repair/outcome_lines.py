# SPDX-License-Identifier: Apache-2.0
"""The report on a wheel as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from .. import terminal
from . import unique_notes
from .outcome import Outcome, Status

_INDENT = "  "
_STATUSES = {Status.REPAIRED: "repaired", Status.UNCHANGED: "with nothing to repair", Status.REFUSED: "refused",
             Status.FAILED: "failed"}  # statuses in the summary


def plan(outcome: Outcome, verbose: bool, reported: Collection[str] = ()) -> list[str]:
    """`reported`: notes that the report on an earlier wheel has."""
    changes, texts, out = outcome.plan, outcome.texts, []
    for edit in changes.edits:
        out.append(f"{_INDENT}changed   {edit.name}")
        out += [f"{_INDENT * 6}{text}" for text in edit.lines]
        if edit.path:
            out.append(f"{_INDENT * 6}search path: {edit.path} added")
    if verbose:
        out += [f"{_INDENT}kept      {name}" for name in outcome.untouched]
    out += [f"{_INDENT}added     {name}{_opened_by(changes.users.get(name, []))}" for name in changes.stubs]
    out += [f"{_INDENT}left out  {name}: {why}" for name, why in changes.left_out.items()]
    out += [f"{_INDENT}freed     {change}" for change in texts.changes]
    out += [f"{_INDENT}{line}" for line in texts.about]
    notes = outcome.notes
    shown = notes if verbose else unique_notes.once(notes, unique_notes.first_copies(outcome.scan.sums), reported)
    out += [f"{_INDENT}note      {note}" for note in shown]
    return [terminal.writable(line) for line in out]


def end(outcome: Outcome) -> list[str]:
    out, written, unchanged = [], outcome.written, outcome.status is Status.UNCHANGED
    if outcome.status is Status.REFUSED:
        out = [*(f"{_INDENT}refused   {reason}" for reason in outcome.reasons), f"{_INDENT}nothing was written"]
    elif written is None:  # a dry run
        out = [f"{_INDENT}nothing to repair"] if unchanged else []
    else:
        what = "nothing to repair; copied to" if unchanged else "written"
        what = "already up to date:" if written.was_there else what
        out = [f"{_INDENT}{what} {written.path} ({written.size / 1e6:.1f} MB)"]
    if outcome.verdict:
        out.append(f"{_INDENT}verdict: {outcome.verdict.sentence}")
    return [terminal.writable(line) for line in out]


def summary(outcomes: Collection[Outcome]) -> str:
    counts = Counter(outcome.status for outcome in outcomes)
    return f"{len(outcomes)} wheels: " + ", ".join(f"{counts[status]} {text}" for status, text in _STATUSES.items()
                                                   if counts[status])


def _opened_by(files: Sequence[str]) -> str:
    return f", a drop-in: {', '.join(files)} {'opens' if len(files) == 1 else 'open'} that name" if files else ""
