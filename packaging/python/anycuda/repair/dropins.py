# SPDX-License-Identifier: Apache-2.0
"""Drop-ins for NVIDIA's names that files of a wheel open and that the wheel does not contain. Pure.

A drop-in has NVIDIA's name, so dlopen finds it in the folder of the stubs. That folder comes last: a library of the
same name that the process has loaded, or that is earlier on the search path, is used as before.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Callable

from ..analysis import opened
from ..analysis.file_use import Provided
from ..analysis.libraries import Table
from ..analysis.opened import OpenedKind
from . import files, glibc, places
from .exclude import Exclude
from .files import FileEdit
from .plan_part import PlanPart, join
from .scan import Member, Scan
from .stubs import Stub

Find = Callable[[str, str], "Stub | None"]  # library, SONAME -> its drop-in
_NO_LIBRARY = ("{names} can now be opened even without an installed CUDA; calls then return an error status. A program "
               "that takes an opened library for a working CUDA notices this late; --no-drop-ins leaves the drop-ins "
               "out")


def make(scan: Scan, edits: Mapping[str, FileEdit], folder: str, promised: tuple[int, int] | None, table: Table,
         inside: Collection[str], find: Find | None, exclude: Exclude = Exclude()) -> PlanPart:
    """`edits`: the other edits of the files. `find`: None with --no-drop-ins."""
    needed = _needed(scan, edits, table)
    brought = {member.soname for member in scan.members
               if member.use.provides and member.use.provides.what is Provided.DROPIN}
    parts = []
    for member in scan.members:
        if not exclude.file(member.name):
            openings = opened.find(member.use, table, inside)
            dropins, notes = _choose(member, openings, brought, needed, find, exclude, table)
            parts += [PlanPart(notes=notes), _serve(member, dropins, edits.get(member.name), folder, promised, table)]
    served = join(parts)
    files_ = sorted({dropin.file for dropin in served.stubs.values()})
    return join([served, PlanPart(notes=[_NO_LIBRARY.format(names=", ".join(files_))] if files_ else [])])


def _choose(member: Member, openings: Iterable[opened.Opened], brought: Collection[str], needed: Mapping[str, str],
            find: Find | None, exclude: Exclude, table: Table) -> tuple[list[Stub], list[str]]:
    """(the drop-ins for names that the file opens, notes on names that get none)"""
    dropins, notes = [], []
    for opening in openings:
        if not opening.library:  # plan.py reports those of one CUDA
            continue
        why = _why_not(opening, member, brought, needed, find, exclude)
        dropin = find(opening.library, opening.name) if find and not why else None
        if dropin:
            dropins.append(dropin)
        elif not table.libraries[opening.library].is_driver:
            notes.append(why or f"{member.name} opens {opening.name}: this anycuda has no such drop-in")
    return dropins, notes


def _serve(member: Member, dropins: list[Stub], edit: FileEdit | None, folder: str, promised: tuple[int, int] | None,
           table: Table) -> PlanPart:
    """The drop-ins of a file, including those of names that the file also needs (the stub replaces those): without
    them, dlopen would load a second library besides the stub's, possibly of another CUDA."""
    if not dropins:
        return PlanPart()
    place = places.place_of(member.name)
    by_file = {dropin.file: dropin for dropin in dropins}
    stubs = {f"{place.root}{folder}/{file}": dropin for file, dropin in by_file.items()}
    edit = edit or files.edit(member, [], place, folder, {}, table, lambda use: ("", ""))
    edits = {member.name: replace(edit, runpath=not member.search_path)} if edit.path else {}
    notes = []
    if member.search_path and member.has_rpath:
        notes.append(f"{member.name} has a DT_RPATH, which precedes LD_LIBRARY_PATH: it opens the drop-in even if "
                     "NVIDIA's library is there; the drop-in passes the calls on to the library it finds")
    return PlanPart(edits, stubs, {path: [member.name] for path in stubs}, glibc.too_new(member, by_file, promised),
                    refusals=files.other_machine(member, by_file), notes=notes)


def _why_not(opening: opened.Opened, member: Member, brought: Collection[str], needed: Mapping[str, str],
             find: Find | None, exclude: Exclude) -> str:
    """The reason why this name gets no drop-in; "" if it may."""
    if exclude.library(opening.name):
        return f"{member.name} opens {opening.name} and gets no drop-in because of --exclude"
    if opening.name in brought:
        return f"{member.name} already has the drop-in {opening.name}"
    if opening.kind is not OpenedKind.MAJOR:
        return f"{member.name} opens {opening.name}: {opened.WHO_SERVES[opening.kind]}"
    if opening.name in needed:
        return (f"{member.name} opens {opening.name} and gets no drop-in: {needed[opening.name]} must find NVIDIA's "
                "library under that name")
    if find is None:
        return f"{member.name} opens {opening.name}: `anycuda run` serves it with a drop-in (--no-drop-ins)"
    outside = places.place_of(member.name).why_not
    return f"{member.name} opens {opening.name} and gets no drop-in: {outside}" if outside else ""


def _needed(scan: Scan, edits: Mapping[str, FileEdit], table: Table) -> dict[str, str]:
    """name -> a file of the wheel that still needs NVIDIA's library of that name. CUDA's own libraries also need the
    libraries that they open, since these must be of the same CUDA."""
    users: dict[str, str] = {}
    for member in scan.members:
        edit = edits.get(member.name)
        names = set(member.needed) - set(edit.needed if edit else ())
        if opened.is_of_cuda(member.use, table) and not (
                member.use.provides and member.use.provides.what.is_anycudas):
            names |= {name for use in member.use.uses for name in use.strings}
        users.update({name: member.name for name in names if name not in users})
    return users
