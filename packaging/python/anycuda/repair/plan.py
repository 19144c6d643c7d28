# SPDX-License-Identifier: Apache-2.0
"""The plan for a wheel: a pure function of its content, the stubs and the user's options."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Mapping, Sequence
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
from .plan_part import PlanPart, join
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


@dataclass(frozen=True)
class Plan:
    """`stubs`: name in the wheel -> stub. `left_out`: name -> why. `refusals`: why nothing may be done; each is a
    sentence that also says what to do, if possible. `notes`: further information. `users`: drop-in among the stubs ->
    the files that open it. `tag_notes`: notes that are the same for every wheel with this tag."""

    edits: Sequence[FileEdit] = ()
    stubs: Mapping[str, Stub] = field(default_factory=dict)
    users: Mapping[str, Sequence[str]] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)
    refusals: Sequence[str] = ()
    notes: Sequence[str] = ()
    tag_notes: Sequence[str] = ()


@dataclass(frozen=True)
class _Wheel:
    """Facts about the whole wheel. `folder`: for the stubs. `inside`: the names under which the dynamic linker may find
    files of this wheel. `foreign`, `present`, `kept_copies`: see common.py. `majors`: library -> majors of its
    callers."""

    folder: str
    inside: frozenset[str]
    foreign: frozenset[str]
    present: frozenset[str]
    kept_copies: frozenset[str]
    majors: dict[str, set[str]]


def make(scan: Scan, distribution: str, options: Options, table: Table,
         stub_of: Callable[[str], Stub], dropin_of: dropins.Find | None = None) -> Plan:
    """Without `dropin_of`, names that the files open get no drop-in."""
    wheel = _facts(scan, distribution, table)
    needed = join(_plan_file(member, wheel, options, table, stub_of) for member in scan.members)
    opened = dropins.make(scan, needed.edits, wheel.folder, options.glibc, table, wheel.inside, dropin_of,
                          options.exclude)
    with_stubs = join([needed, opened])
    plan = join([
        with_stubs,
        _check_ties(scan, options, wheel.inside.union(map(posixpath.basename, with_stubs.stubs)), table),
        _check_stubs(with_stubs, scan, options.glibc),
        PlanPart(notes=[f"{name} stays unchanged: {why}" for name, why in scan.unread.items()]),
        bundled.leave_out(scan, with_stubs.edits, table),
    ])
    return Plan(list(plan.edits.values()), plan.stubs, plan.users, plan.left_out,
                list(dict.fromkeys(plan.refusals)),  # a problem of a stub occurs for every file
                plan.notes)


def _facts(scan: Scan, distribution: str, table: Table) -> _Wheel:
    inside = [posixpath.basename(name) for name in scan.files]
    inside += [member.soname for member in scan.members if member.soname]
    return _Wheel(folder_of_stubs(distribution), frozenset(inside), common.foreign(scan, table), common.present(scan),
                  common.copies_with_runtime(scan),
                  built_for.majors(use for member in scan.members for use in member.use.uses))


def _plan_file(member: Member, wheel: _Wheel, options: Options, table: Table, stub_of: Callable[[str], Stub]
               ) -> PlanPart:
    notes = files.notes(member, wheel.foreign)
    refusals = [f"{member.name} does not load: it needs {name}, which was removed from the repaired wheel. Repair the "
                "wheel as it was built"
                for name in common.missing(member, wheel.inside) if not files.is_library(member)]
    if options.exclude.file(member.name):
        notes.append(f"{member.name} stays unchanged because of --exclude")
        return PlanPart(refusals=refusals, notes=notes)
    uses, use_notes = _uses(member, wheel, options.exclude, table)
    notes += use_notes
    if not uses:
        notes += _without(member, bundled.unstubbed_deps(member, (), wheel.inside, table))
        return PlanPart(refusals=refusals, notes=notes)
    place = place_of(member.name)
    stubs = {use.library: stub_of(use.library) for use in uses}
    edit = files.edit(member, uses, place, wheel.folder, stubs, table,
                      lambda use: _major(use, options, wheel.majors, table))
    refusals += files.refusals(member, edit, place, stubs, table)
    notes += _without(member, bundled.unstubbed_deps(member, edit.needed, wheel.inside, table))
    paths = {f"{place.root}{wheel.folder}/{stub.file}": stub for stub in stubs.values()}
    return PlanPart({member.name: edit}, {path: stub for path, stub in paths.items() if path not in wheel.present},
                    too_new=glibc.too_new(member, stubs, options.glibc), refusals=refusals, notes=notes)


def _uses(member: Member, wheel: _Wheel, exclude: Exclude, table: Table) -> tuple[list[Use], list[str]]:
    """(the uses of a file that get a stub, notes on libraries that it still needs)"""
    uses = [use for use in files.to_replace(member, wheel.foreign)
            if use.needed not in (*wheel.kept_copies, *member.use.hooked)]
    excluded = [use for use in uses if exclude.use(use, table)]
    notes = [f"{member.name} still needs {use.needed or table.libraries[use.library].stem} because of --exclude"
             for use in excluded]
    notes += [f"{member.name} still needs {use.needed}: this copy of NVIDIA's library stays, since it runs without an "
              "installed CUDA (it contains a static CUDA runtime)"
              for use in member.use.uses if use.needed in wheel.kept_copies]
    notes += [f"{member.name} still needs {name}: it rewrites functions of this library, which a stub does not allow"
              for name in member.use.hooked]
    return [use for use in uses if use not in excluded], notes


def _check_stubs(part: PlanPart, scan: Scan, promised: tuple[int, int] | None) -> PlanPart:
    """Refusals of stubs that the wheel cannot take."""
    refusals = [glibc.refusal(part.too_new, promised)] if promised and part.too_new else []
    return PlanPart(refusals=refusals + [
        f"the wheel already has a different file {name}, the name of a stub: build the wheel without it"
        for name in part.stubs if name in scan.files])


def _check_ties(scan: Scan, options: Options, inside: Collection[str], table: Table) -> PlanPart:
    """A refusal for each tie to one CUDA, or a note if --partly or --exclude accepts it."""
    tied = [tie for tie in ties.find([(member.name, member.use) for member in scan.members], inside, table)
            if not options.exclude.file(tie.file)]
    accepted = [tie for tie in tied if options.partly or options.exclude.library(tie.library)]
    notes = [describe_ties.without_stub([file], how, libraries, table)
             for (file, how), libraries in _libraries(accepted).items()]
    files_with: dict[tuple[TieKind, tuple[str, ...]], list[str]] = {}
    for (file, how), libraries in _libraries([tie for tie in tied if tie not in accepted]).items():
        files_with.setdefault((how, tuple(libraries)), []).append(file)
    refusals = [f"{describe_ties.without_stub(names, how, libraries, table)}. --partly repairs everything else, for "
                f"machines that have {'it' if len(libraries) == 1 else 'them'} ({describe_ties.PAGE})"
                for (how, libraries), names in files_with.items()]
    return PlanPart(refusals=refusals, notes=notes)


def _libraries(ties_: list[Tie]) -> dict[tuple[str, TieKind], list[str]]:
    """(file, how) -> libraries"""
    groups: dict[tuple[str, TieKind], list[str]] = {}
    for tie in ties_:
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
    major = built_for.by_others(majors, table.libraries[use.library], table)
    return (major, "the wheel's other files") if major else ("", "")
