"""What was done with a wheel, for people."""

from __future__ import annotations

from .. import terminal
from .plan import Plan
from .texts import Texts

_INDENT = "  "


def lines(plan: Plan, texts: Texts) -> list[str]:
    out = []
    for edit in plan.edits:
        out.append(f"{_INDENT}changed   {edit.name}")
        out += [f"{_INDENT * 6}{text}" for text in edit.said]
        if edit.path:
            out.append(f"{_INDENT * 6}search path: {edit.path} added")
    out += [f"{_INDENT}added     {name}{_opened_by(plan.users.get(name, []))}" for name in plan.stubs]
    out += [f"{_INDENT}left out  {name}: {why}" for name, why in plan.left_out.items()]
    out += [f"{_INDENT}freed     {change}" for change in texts.changes]
    out += [f"{_INDENT}note      {note}" for note in (*plan.notes, *texts.notes)]
    return [terminal.writable(line) for line in out]


def _opened_by(files: list[str]) -> str:
    return f", a drop-in: {', '.join(files)} {'opens' if len(files) == 1 else 'open'} that name" if files else ""
