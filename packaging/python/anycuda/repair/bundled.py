# SPDX-License-Identifier: Apache-2.0
"""The copies of CUDA libraries and of stubs that a wheel brings along: which of them nobody needs any more. Pure."""

from __future__ import annotations

import posixpath
from collections.abc import Collection
from typing import TYPE_CHECKING

from ..analysis import named, ties
from ..analysis.libraries import Table
from .common import is_common
from .scan import Member, Scan

if TYPE_CHECKING:
    from .plan import Plan

_NVIDIAS, _STUB = "a copy of NVIDIA's library", "a stub under the name that all have in common,"


def unstubbed_deps(member: Member, replaced: Collection[str], inside: frozenset, table: Table) -> list[str]:
    """What it needs of CUDA that has no stub, is not in the wheel, and is the same beside every CUDA, such as
    libcufile.so.0."""
    return [name for name in member.use.other
            if name not in replaced and name not in inside and not table.ties_to_cuda(name)]


def leave_out(plan: Plan, scan: Scan, table: Table) -> None:
    """A copy leaves the wheel when files of it needed the copy and none does any more, and no text names it."""
    shared = {member.name for member in scan.members if is_common(member, table)}
    named_by = {member.name: text for text, names in reversed(scan.texts.items()) for member in scan.members
                if member.file in names}
    leaves = ties.leaving([(member.name, member.use) for member in scan.members],
                          {edit.name: edit.needed for edit in plan.edits}, shared,
                          {member.name: member.opens for member in scan.members}, named_by)
    plan.notes += [f"{name} stays in the wheel: {_why_stays(named_by.get(name))}"
                   for name, goes in leaves.items() if not goes]
    plan.left_out.update({name: f"{_STUB if name in shared else _NVIDIAS} that nothing in the wheel needs any more"
                          for name, goes in sorted(leaves.items()) if goes})
    plan.notes += _named_in_texts(scan, table)


def _why_stays(text: str | None) -> str:
    return f"{text} names it" if text else "other files need it, or open it by its name"


def _named_in_texts(scan: Scan, table: Table) -> list[str]:
    """A program text that names a CUDA library may open it; nobody can tell from here."""
    of_nvidia = {text: named.of_nvidia(names) for text, names in scan.texts.items()}
    return [f"{text} names {', '.join(alike[:3])}: {fate}"
            for text, names in of_nvidia.items() if posixpath.splitext(text)[1] == ".py"
            for fate, alike in named.by_fate(names, table).items()]
