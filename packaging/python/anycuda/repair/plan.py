# SPDX-License-Identifier: Apache-2.0
"""What is to be done with a wheel: a pure function of what is in it, of the stubs and of what the user wants."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field
from typing import Callable

from ..analysis import built_for, ties
from ..analysis.libraries import Table
from ..analysis.ties import Tie
from ..analysis.uses import Use
from . import bundled, common, dropins, files, glibc
from .exclude import Exclude
from .files import FileEdit
from .places import folder_of_stubs, place_of
from .scan import Member, Scan
from .stubs import Stub


@dataclass(frozen=True)
class Options:
    """`built_for`: the major of what does not say it. `partly`: repair even what goes on needing libraries that
    have no stub. `glibc`: what the wheel promises; None: whatever the stubs need will do. `exclude`: what stays."""

    built_for: str = ""
    partly: bool = False
    glibc: tuple[int, int] | None = None
    exclude: Exclude = field(default_factory=Exclude)


@dataclass
class Plan:
    """`stubs`: name in the wheel -> stub. `left_out`: name -> why. Refusals: nothing may be done; each is a
    sentence with the way out, if there is one. Notes: what the user should know. `users`: those of the stubs that are
    drop-ins -> the files that open them."""

    edits: list[FileEdit] = field(default_factory=list)
    stubs: dict[str, Stub] = field(default_factory=dict)
    users: dict[str, list[str]] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    refusals: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def make(scan: Scan, distribution: str, options: Options, table: Table,
         stub_of: Callable[[str], Stub], dropin_of: dropins.Find | None = None) -> Plan:
    """Without `dropin_of` what the files open by name stays as it is."""
    plan = Plan()
    folder = folder_of_stubs(distribution)
    majors = built_for.majors(use for member in scan.members for use in member.use.uses)
    inside = _inside(scan)
    foreign, there, standing = common.foreign(scan, table), common.there(scan), common.standing(scan)
    too_new: list[Stub] = []
    for member in scan.members:
        place = place_of(member.name)
        plan.notes += files.notes(member, foreign)
        plan.refusals += [f"{member.name} needs {name}, which is not in the wheel: somebody has taken it out of a "
                          "repaired wheel, and without it the file does not load. Repair the wheel as it was built"
                          for name in common.lost(member, inside) if not files.is_library(member)]
        if options.exclude.file(member.name):
            plan.notes.append(f"{member.name} stays as it is: --exclude")
            continue
        uses = _uses(plan, member, foreign, standing, options.exclude, table)
        if not uses:
            plan.notes += _without(member, bundled.unstubbed_deps(member, (), inside, table))
            continue
        wanted = {use.library: stub_of(use.library) for use in uses}
        edit = files.edit(member, uses, place, folder, wanted, table, lambda use: _major(use, options, majors, table))
        plan.edits.append(edit)
        plan.refusals += files.refusals(member, edit, place, wanted, table)
        too_new += glibc.too_new(member, wanted, options.glibc)
        plan.notes += _without(member, bundled.unstubbed_deps(member, edit.needed, inside, table))
        paths = {f"{place.root}{folder}/{stub.file}": stub for stub in wanted.values()}
        plan.stubs.update({path: stub for path, stub in paths.items() if path not in there})
    edits = {edit.name: edit for edit in plan.edits}
    opened = dropins.make(scan, edits, folder, options.glibc, table, inside, dropin_of, options.exclude)
    too_new += _drop_ins(plan, opened)
    _add_ties(plan, scan, options, inside, table)
    if options.glibc and too_new:
        plan.refusals.append(glibc.refusal(too_new, options.glibc))
    for name, why in scan.unread.items():
        plan.notes.append(f"{name} stays as it is: {why}")
    bundled.leave_out(plan, scan, table)
    plan.refusals += [f"{name} is in the wheel already, and another file than the stub" for name in plan.stubs
                      if name in scan.files]
    plan.refusals = list(dict.fromkeys(plan.refusals))  # what is wrong with a stub is so for every file
    return plan


def _uses(plan: Plan, member: Member, foreign: frozenset[str], standing: frozenset[str], exclude: Exclude,
          table: Table) -> list[Use]:
    """Those of a file that get a stub."""
    found = [use for use in files.to_replace(member, foreign) if use.needed not in standing]
    excluded = [use for use in found if exclude.use(use, table)]
    plan.notes += [f"{member.name} goes on needing {use.needed or table.libraries[use.library].stem}: --exclude"
                   for use in excluded]
    plan.notes += [f"{member.name} goes on needing {use.needed}, the wheel's own copy with a CUDA runtime in it"
                   for use in member.use.uses if use.needed in standing]
    return [use for use in found if use not in excluded]


def _drop_ins(plan: Plan, found: dropins.DropIns) -> list[Stub]:
    """Those that need too new a glibc."""
    new = [edit for name, edit in found.edits.items() if all(name != one.name for one in plan.edits)]
    plan.edits = [found.edits.get(edit.name, edit) for edit in plan.edits] + new
    plan.stubs.update(found.added)
    plan.users = found.users
    plan.refusals += found.refusals
    plan.notes += found.notes
    return found.too_new


def _add_ties(plan: Plan, scan: Scan, options: Options, inside: frozenset[str], table: Table) -> None:
    """What keeps files at one CUDA: a refusal, or a note where --partly or --exclude accepts it."""
    tied = [tie for tie in ties.of([(member.name, member.use) for member in scan.members],
                                   inside | {posixpath.basename(name) for name in plan.stubs}, table)
            if not options.exclude.file(tie.file)]
    accepted = [tie for tie in tied if options.partly or options.exclude.library(tie.library)]
    plan.notes += _tied(accepted)
    rest = ", whatever else is repaired. --partly repairs the rest, for machines that have it"
    plan.refusals += _tied([tie for tie in tied if tie not in accepted], rest)


def _tied(found: list[Tie], rest: str = "") -> list[str]:
    """A line for each file."""
    groups: dict[tuple[str, str], list[str]] = {}
    for tie in found:
        groups.setdefault((tie.file, tie.how), []).append(tie.library)
    lines = []
    for (file, how), names in groups.items():
        without = "it does not load" if how == ties.NEEDS else "what it opens this for does not work"
        lines.append(f"{file} {how} {', '.join(names)}, for which anycuda has no stub: without that {without}{rest}")
    return lines


def _without(member: Member, names: list[str]) -> list[str]:
    """What stays that has no stub and is the same beside every CUDA; a library of CUDA itself needs what it needs."""
    names = [] if files.is_library(member) else names
    text = (f"{member.name} needs {', '.join(names)}, for which anycuda has no stub: it loads only where "
            f"{'that is' if len(names) == 1 else 'these are'} installed")
    return [text] if names else []


def _major(use: Use, options: Options, majors: dict[str, set[str]], table: Table) -> tuple[str, str]:
    """(major of the references that do not say theirs, how it is known); ("", "") if nothing tells."""
    if len(use.majors) == 1:
        return use.majors[0], "its name" if use.needed else "the functions that it uses"
    if options.built_for:
        return options.built_for, "--built-for"
    known = built_for.by_others(majors, table.libraries[use.library], table)
    return (known, "the wheel's other files") if known else ("", "")


def _inside(scan: Scan) -> frozenset[str]:
    """Names under which the dynamic linker may find files of this wheel."""
    return frozenset([posixpath.basename(name) for name in scan.files] +
                     [member.soname for member in scan.members if member.soname])
