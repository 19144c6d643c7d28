# SPDX-License-Identifier: Apache-2.0
"""The plan for a wheel: a pure function of its content, the stubs and the user's options."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field
from typing import Callable

from ..analysis import built_for, describe_ties, ties
from ..analysis.file_use import Use
from ..analysis.libraries import Table
from ..analysis.ties import Tie, TieKind
from . import bundled, common, dropins, files, glibc
from .exclude import Exclude
from .files import FileEdit
from .places import folder_of_stubs, place_of
from .scan import Member, Scan
from .stubs import Stub


@dataclass(frozen=True)
class Options:
    """`built_for`: the major of files that record none. `partly`: also repair files that still need libraries without a
    stub. `glibc`: the version that the wheel's tag claims; None: accept every stub. `exclude`: what stays unchanged."""

    built_for: str = ""
    partly: bool = False
    glibc: tuple[int, int] | None = None
    exclude: Exclude = field(default_factory=Exclude)


@dataclass
class Plan:
    """`stubs`: name in the wheel -> stub. `left_out`: name -> why. `refusals`: why nothing may be done; each is a
    sentence that also says what to do, if possible. `notes`: further information. `users`: drop-in among the stubs ->
    the files that open it. `tag_notes`: notes that are the same for every wheel with this tag."""

    edits: list[FileEdit] = field(default_factory=list)
    stubs: dict[str, Stub] = field(default_factory=dict)
    users: dict[str, list[str]] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    refusals: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    tag_notes: list[str] = field(default_factory=list)


def make(scan: Scan, distribution: str, options: Options, table: Table,
         stub_of: Callable[[str], Stub], dropin_of: dropins.Find | None = None) -> Plan:
    """Without `dropin_of`, names that the files open get no drop-in."""
    plan = Plan()
    folder = folder_of_stubs(distribution)
    majors = built_for.majors(use for member in scan.members for use in member.use.uses)
    inside = _inside(scan)
    foreign, present, kept_copies = common.foreign(scan, table), common.there(scan), common.copies_with_runtime(scan)
    too_new: list[Stub] = []
    for member in scan.members:
        place = place_of(member.name)
        plan.notes += files.notes(member, foreign)
        plan.refusals += [f"{member.name} does not load: it needs {name}, which was removed from the repaired wheel. "
                          "Repair the wheel as it was built"
                          for name in common.lost(member, inside) if not files.is_library(member)]
        if options.exclude.file(member.name):
            plan.notes.append(f"{member.name} stays unchanged because of --exclude")
            continue
        uses = _uses(plan, member, foreign, kept_copies, options.exclude, table)
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
        plan.stubs.update({path: stub for path, stub in paths.items() if path not in present})
    edits = {edit.name: edit for edit in plan.edits}
    opened = dropins.make(scan, edits, folder, options.glibc, table, inside, dropin_of, options.exclude)
    too_new += _drop_ins(plan, opened)
    _add_ties(plan, scan, options, inside, table)
    if options.glibc and too_new:
        plan.refusals.append(glibc.refusal(too_new, options.glibc))
    for name, why in scan.unread.items():
        plan.notes.append(f"{name} stays unchanged: {why}")
    bundled.leave_out(plan, scan, table)
    plan.refusals += [f"the wheel already has a different file {name}, the name of a stub: build the wheel without it"
                      for name in plan.stubs
                      if name in scan.files]
    plan.refusals = list(dict.fromkeys(plan.refusals))  # a problem of a stub occurs for every file
    return plan


def _uses(plan: Plan, member: Member, foreign: frozenset[str], kept_copies: frozenset[str], exclude: Exclude,
          table: Table) -> list[Use]:
    """The uses of a file that get a stub."""
    found = [use for use in files.to_replace(member, foreign) if use.needed not in (*kept_copies, *member.use.hooked)]
    excluded = [use for use in found if exclude.use(use, table)]
    plan.notes += [f"{member.name} still needs {use.needed or table.libraries[use.library].stem} because of --exclude"
                   for use in excluded]
    plan.notes += [f"{member.name} still needs {use.needed}: this copy of NVIDIA's library stays, since it runs "
                   "without an installed CUDA (it contains a static CUDA runtime)"
                   for use in member.use.uses if use.needed in kept_copies]
    plan.notes += [f"{member.name} still needs {name}: it rewrites functions of this library, which a stub does not "
                   "allow" for name in member.use.hooked]
    return [use for use in found if use not in excluded]


def _drop_ins(plan: Plan, found: dropins.DropIns) -> list[Stub]:
    """Adds the drop-ins to the plan; returns those that need too new a glibc."""
    new = [edit for name, edit in found.edits.items() if all(name != one.name for one in plan.edits)]
    plan.edits = [found.edits.get(edit.name, edit) for edit in plan.edits] + new
    plan.stubs.update(found.added)
    plan.users = found.users
    plan.refusals += found.refusals
    plan.notes += found.notes
    return found.too_new


def _add_ties(plan: Plan, scan: Scan, options: Options, inside: frozenset[str], table: Table) -> None:
    """Adds a refusal for each tie to one CUDA, or a note if --partly or --exclude accepts it."""
    tied = [tie for tie in ties.find([(member.name, member.use) for member in scan.members],
                                     inside | {posixpath.basename(name) for name in plan.stubs}, table)
            if not options.exclude.file(tie.file)]
    accepted = [tie for tie in tied if options.partly or options.exclude.library(tie.library)]
    plan.notes += [describe_ties.without_stub([file], how, names, table)
                   for (file, how), names in _libraries(accepted).items()]
    files_of: dict[tuple[TieKind, tuple[str, ...]], list[str]] = {}
    for (file, how), names in _libraries([tie for tie in tied if tie not in accepted]).items():
        files_of.setdefault((how, tuple(names)), []).append(file)
    plan.refusals += [f"{describe_ties.without_stub(files, how, names, table)}. --partly repairs everything else, for "
                      f"machines that have {'it' if len(names) == 1 else 'them'} ({describe_ties.PAGE})"
                      for (how, names), files in files_of.items()]


def _libraries(found: list[Tie]) -> dict[tuple[str, TieKind], list[str]]:
    """(file, how) -> libraries"""
    groups: dict[tuple[str, TieKind], list[str]] = {}
    for tie in found:
        groups.setdefault((tie.file, tie.how), []).append(tie.library)
    return groups


def _without(member: Member, names: list[str]) -> list[str]:
    """A note on the unstubbed libraries that the file still needs and that are the same for every CUDA; none for a
    library of CUDA."""
    names = [] if files.is_library(member) else names
    text = (f"{member.name} needs {', '.join(names)}, for which anycuda has no stub: it loads only where "
            f"{'it is' if len(names) == 1 else 'they are'} installed")
    return [text] if names else []


def _major(use: Use, options: Options, majors: dict[str, set[str]], table: Table) -> tuple[str, str]:
    """(major of the unversioned references, its source); ("", "") if unknown."""
    if len(use.majors) == 1:
        return use.majors[0], "its name" if use.needed else "the functions that it uses"
    if options.built_for:
        return options.built_for, "--built-for"
    known = built_for.by_others(majors, table.libraries[use.library], table)
    return (known, "the wheel's other files") if known else ("", "")


def _inside(scan: Scan) -> frozenset[str]:
    """The names under which the dynamic linker may find files of this wheel."""
    return frozenset([posixpath.basename(name) for name in scan.files] +
                     [member.soname for member in scan.members if member.soname])
