# SPDX-License-Identifier: Apache-2.0
"""Finds unneeded copies of CUDA libraries and stubs in a wheel. Pure."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Mapping

from ..analysis import named, pathfinder, ties
from ..analysis.libraries import Table
from .common import is_common
from .files import FileEdit
from .plan_part import PlanPart
from .scan import Member, Scan

_NVIDIAS = "an unneeded copy of NVIDIA's library"
_STUB = "an unneeded stub: the changed files need a stub with a hash in its name instead"


def unstubbed_deps(member: Member, replaced: Collection[str], inside: Collection[str], table: Table) -> list[str]:
    """The needed CUDA libraries without a stub that are not in the wheel and are the same for every CUDA, such as
    libcusparseLt.so.0."""
    return [name for name in member.use.other
            if name not in replaced and name not in inside and not table.ties_to_cuda(name)]


def leave_out(scan: Scan, edits: Mapping[str, FileEdit], table: Table) -> PlanPart:
    """A copy leaves the wheel if files needed it, none does any more, and no text names it. `edits`: file -> its edit.
    """
    shared = {member.name for member in scan.members if is_common(member, table)}
    named_by = {member.name: text for text, names in reversed(scan.texts.items()) for member in scan.members
                if member.file in names}
    removed = ties.leaving([(member.name, member.use) for member in scan.members],
                           {name: edit.needed for name, edit in edits.items()}, shared,
                           {member.name: member.opens for member in scan.members}, named_by)
    notes = [f"{name} stays in the wheel: {_why_stays(named_by.get(name))}"
             for name, goes in removed.items() if not goes]
    notes += _named_in_texts(scan, table)
    notes += [f"{name} {sentence}" for name, loads in scan.python.loads.items()
              for sentence in pathfinder.sentences(loads, table)]
    left_out = {name: _STUB if name in shared else _NVIDIAS for name, goes in sorted(removed.items()) if goes}
    return PlanPart(left_out=left_out, notes=notes)


def _why_stays(text: str | None) -> str:
    return f"{text} names it" if text else "other files need it or open it by name"


def _named_in_texts(scan: Scan, table: Table) -> list[str]:
    """Notes on program texts that name CUDA libraries, since they may open them."""
    return [f"{text} names {', '.join(alike[:3])}: {fate}"
            for text, names in scan.texts.items() if posixpath.splitext(text)[1] == ".py"
            for fate, alike in named.by_fate(named.of_nvidia(names), table).items()]
