# SPDX-License-Identifier: Apache-2.0
"""The texts of a wheel that a repair changes: the requirements in METADATA, and lists of libraries to load by the names
of distributions that the wheel no longer requires."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ..analysis import pathfinder, preload, remaining
from ..analysis.libraries import Linking, Table
from ..analysis.remaining import Remaining
from ..wheels import names
from ..wheels.archive import Wheel
from . import free, requirements
from .plan import Plan
from .scan import Scan


@dataclass(frozen=True)
class Texts:
    """`edited`: name in the wheel -> its new content, including new files. `renamed`: old name -> new name. `changes`,
    `notes`, `about` (licence, SBOM, build tag): lines for the report."""

    edited: Mapping[str, bytes] = field(default_factory=dict)
    renamed: Mapping[str, str] = field(default_factory=dict)
    changes: Sequence[str] = ()
    about: Sequence[str] = ()
    notes: Sequence[str] = ()

    def plus(self, more: Texts) -> Texts:
        return Texts({**self.edited, **more.edited}, {**self.renamed, **more.renamed},
                     [*self.changes, *more.changes], [*self.about, *more.about], [*self.notes, *more.notes])


def make(wheel: Wheel, scan: Scan, plan: Plan, dropped: Sequence[str], freeing: bool, table: Table) -> Texts:
    name = f"{wheel.dist_info}/METADATA"
    before = wheel.read(name) if dropped or freeing else b""
    after = requirements.drop(before, dropped) if dropped else before
    texts = Texts()
    if freeing:
        freed = free.free(after, remaining_of(scan, plan), renewed(scan, table), table)
        after = freed.metadata
        texts = Texts(changes=freed.changes, notes=freed.notes)
        texts = texts.plus(_preloads(wheel, scan, freed.distributions, table))
    return texts.plus(Texts({name: after})) if after != before else texts


def remaining_of(scan: Scan, plan: Plan) -> Remaining:
    """The remaining needs of the repaired wheel."""
    edits = {edit.name: edit for edit in plan.edits}
    members = [member for member in scan.members if member.name not in plan.left_out]
    inside = {posixpath.basename(name) for name in scan.files if name not in plan.left_out}
    inside |= {member.soname for member in members if member.soname}
    inside |= {posixpath.basename(name) for name in plan.stubs}  # drop-ins serve these names
    needs = []
    for member in members:
        edit = edits.get(member.name)
        needed = [name for name in member.needed if edit is None or name not in edit.needed]
        needs += remaining.find(member.name, member.use, needed, inside)
    has_stub = any(use.how is Linking.STUB for member in members for use in member.use.uses)
    return Remaining(tuple(needs), bool(plan.edits or plan.stubs) or has_stub)


def renewed(scan: Scan, table: Table) -> dict[str, str]:
    """Distribution -> the library's major that serves the stub's callers: cuDNN 9 serves those of cuDNN 8."""
    used = {use.library for member in scan.members if not member.use.is_library for use in member.use.uses}
    return {wheel: table.libraries[name].served_by for name in sorted(used) if table.libraries[name].served_by
            for wheel in table.libraries[name].wheels.values()}


def _preloads(wheel: Wheel, scan: Scan, distributions: Collection[str], table: Table) -> Texts:
    edited, changes, notes = {}, [], []
    for name, content in small_texts(wheel) if distributions else ():
        asked = preload.in_text(name, content, table)
        asks = [distribution for distribution in asked if names.normal(distribution) in distributions]
        imports = [distribution for distribution in preload.imported(name, content, table)
                   if distribution in distributions and distribution not in asks]
        loads = [distribution for distribution in pathfinder.distributions(scan.python.loads.get(name), table)
                 if distribution in distributions and distribution not in (*asks, *imports)]
        if not asks and not imports and not loads:
            continue
        if name.endswith(".json"):
            edited[name] = preload.without(content, distributions)
            changes.append(f"{name} no longer loads the libraries of {', '.join(asks)}")
        else:
            does = preload.does(", ".join(asks), ", ".join(imports), ", ".join(loads))
            is_one = len({*asks, *imports, *loads}) == 1
            these, it = ("this distribution", "it") if is_one else ("these distributions", "them")
            notes.append(f"{name} {does}; pip now installs {these} only with an extra: test the wheel without {it}")
    return Texts(edited, changes=changes, notes=notes)


def small_texts(wheel: Wheel) -> Iterator[tuple[str, bytes]]:
    """The wheel's JSON and Python files outside .dist-info."""
    for entry in wheel.entries:
        is_about = entry.filename.startswith(f"{wheel.dist_info}/")
        if preload.is_looked_into(entry.filename, entry.file_size) and not is_about:
            yield entry.filename, b"".join(wheel.blocks(entry))
