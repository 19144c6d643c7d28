"""The copies of CUDA libraries and of stubs that a wheel brings along: which of them nobody needs any more. Pure."""

from __future__ import annotations

import posixpath
from typing import Collection

from ..analysis import named
from ..analysis.libraries import Table
from ..analysis.ties import BUILTINS, COPIES
from .common import is_common
from .files import FileEdit
from .scan import Member, Scan

_NVIDIAS, _STUB = "a copy of NVIDIA's library", "a stub under the name that all have in common,"


def unstubbed_deps(member: Member, replaced: Collection[str], inside: frozenset, table: Table) -> list[str]:
    """What it needs of CUDA that has no stub, is not in the wheel, and is the same beside every CUDA, such as
    libcufile.so.0."""
    return [name for name in member.use.other
            if name not in replaced and name not in inside and not table.ties_to_cuda(name)]


def leave_out(plan, scan: Scan, table: Table) -> None:
    """A copy goes when files of this wheel needed it and none does any more, and no text names it."""
    edits = {edit.name: edit for edit in plan.edits}
    replaced = {name for edit in plan.edits for name in edit.needed}
    shared = {member.name for member in scan.members if is_common(member, table)}
    copies = [member for member in scan.members
              if _is_copy(member) or member.file.startswith(BUILTINS) or member.name in shared]
    going = {member.name for member in copies if {member.file, member.soname} & replaced
             or member.file.startswith(BUILTINS) and any(name.startswith(("libnvrtc.", "libnvrtc-"))
                                                         for name in replaced)}
    while True:  # what stays may need what was to go
        still = {need for member in scan.members if member.name not in going
                 for need in _needs_of(member, edits.get(member.name))}
        staying = {member.name: _why_stays(member, still, scan) for member in copies if member.name in going}
        kept = {name: why for name, why in staying.items() if why}
        if not kept:
            break
        plan.notes += [f"{name} stays in the wheel: {why}" for name, why in kept.items()]
        going -= set(kept)
    plan.left_out.update({name: f"{_STUB if name in shared else _NVIDIAS} that nothing in the wheel needs any more"
                          for name in sorted(going)})
    plan.notes += _named_in_texts(scan, table)


def _is_copy(member: Member) -> bool:
    return member.use.provides is not None and member.use.provides.what in COPIES


def _needs_of(member: Member, edit: FileEdit | None) -> set[str]:
    names = set(member.needed) - set(edit.needed if edit else ())
    names |= {text for use in member.use.uses for text in use.strings} | set(member.use.unstubbed)
    return names | set(member.opens)


def _why_stays(member: Member, still: set[str], scan: Scan) -> str:
    if {member.file, member.soname} & still:
        return "other files need it, or open it by its name"
    named = [text for text, names in scan.texts.items() if member.file in names]
    return f"{named[0]} names it" if named else ""


def _named_in_texts(scan: Scan, table: Table) -> list[str]:
    """A program text that names a CUDA library may open it; nobody can tell from here."""
    of_nvidia = {text: named.of_nvidia(names) for text, names in scan.texts.items()}
    return [f"{text} names {', '.join(alike[:3])}: {fate}"
            for text, names in of_nvidia.items() if posixpath.splitext(text)[1] == ".py"
            for fate, alike in named.by_fate(names, table).items()]
