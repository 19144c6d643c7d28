# SPDX-License-Identifier: Apache-2.0
"""A part of the plan for a wheel, such as that for one file. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from .files import FileEdit
from .stubs import Stub


@dataclass(frozen=True)
class PlanPart:
    """`edits`: file -> its edit. `stubs`: name in the wheel -> stub or drop-in. `users`: drop-in among them -> the
    files that open it. `too_new`: stubs that need a newer glibc than the wheel's tag claims. `left_out`: name -> why.
    `refusals`, `notes`: sentences."""

    edits: Mapping[str, FileEdit] = field(default_factory=dict)
    stubs: Mapping[str, Stub] = field(default_factory=dict)
    users: Mapping[str, Sequence[str]] = field(default_factory=dict)
    too_new: Sequence[Stub] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    refusals: Sequence[str] = ()
    notes: Sequence[str] = ()


def join(parts: Iterable[PlanPart]) -> PlanPart:
    """All parts as one. An edit replaces that of an earlier part, in its place."""
    edits: dict[str, FileEdit] = {}
    stubs: dict[str, Stub] = {}
    users: dict[str, list[str]] = {}
    left_out: dict[str, str] = {}
    too_new: list[Stub] = []
    refusals: list[str] = []
    notes: list[str] = []
    for part in parts:
        edits.update(part.edits)
        stubs.update(part.stubs)
        for name, files in part.users.items():
            users.setdefault(name, []).extend(files)
        left_out.update(part.left_out)
        too_new += part.too_new
        refusals += part.refusals
        notes += part.notes
    return PlanPart(edits, stubs, users, too_new, left_out, refusals, notes)
