# SPDX-License-Identifier: Apache-2.0
"""Drop-ins for NVIDIA's names that files of a wheel open and that the wheel does not contain. Pure.

A drop-in has NVIDIA's name, so dlopen finds it in the folder of the stubs. That folder comes last: a library of the
same name that the process has loaded, or that is earlier on the search path, is used as before.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Callable

from ..analysis import opened
from ..analysis.file_use import Provided
from ..analysis.libraries import Table
from ..analysis.opened import OpenedKind
from . import files, glibc, places
from .exclude import Exclude
from .files import FileEdit
from .scan import Member, Scan
from .stubs import Stub

Find = Callable[[str, str], "Stub | None"]  # library, SONAME -> its drop-in
_NO_LIBRARY = ("{names} can now be opened even without an installed CUDA; calls then return an error status. A program "
               "that takes an opened library for a working CUDA notices this late; --no-drop-ins leaves the drop-ins "
               "out")


@dataclass
class DropIns:
    """`edits`: name -> the edit that adds the folder to a file's search path. `added`: name in the wheel -> drop-in.
    `users`: name in the wheel -> the files that open it. `too_new`: drop-ins that need a newer glibc than the wheel's
    tag claims."""

    edits: dict[str, FileEdit] = field(default_factory=dict)
    added: dict[str, Stub] = field(default_factory=dict)
    users: dict[str, list[str]] = field(default_factory=dict)
    too_new: list[Stub] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def make(scan: Scan, edits: Mapping[str, FileEdit], folder: str, promised: tuple[int, int] | None, table: Table,
         inside: Collection[str], find: Find | None, exclude: Exclude = Exclude()) -> DropIns:
    """`edits`: the other edits of the files. `find`: None with --no-drop-ins."""
    found = DropIns()
    needed = _needed(scan, edits, table)
    brought = {member.soname for member in scan.members
               if member.use.provides and member.use.provides.what is Provided.DROPIN}
    for member in scan.members:
        if exclude.file(member.name):
            continue
        names: list[Stub] = []
        for one in opened.find(member.use, table, inside):
            if not one.library:  # plan.py reports those of one CUDA
                continue
            why = (f"{member.name} opens {one.name} and gets no drop-in because of --exclude"
                   if exclude.library(one.name)
                   else _why_not(one, member, brought, needed, find))
            dropin = find(one.library, one.name) if find and not why else None
            if dropin:
                names.append(dropin)
            elif not table.libraries[one.library].is_driver:
                found.notes.append(why or f"{member.name} opens {one.name}: this anycuda has no such drop-in")
        if names:
            _serve(member, names, edits.get(member.name), folder, promised, table, found)
    if found.added:
        files = sorted({stub.file for stub in found.added.values()})
        found.notes.append(_NO_LIBRARY.format(names=", ".join(files)))
    return found


def _serve(member: Member, dropins: list[Stub], edit: FileEdit | None, folder: str, promised: tuple[int, int] | None,
           table: Table, found: DropIns) -> None:
    """The names that may get a drop-in, including names that the file also needs (the stub replaces those): without it,
    dlopen would load a second library besides the stub's, possibly of another CUDA."""
    place = places.place_of(member.name)
    by_file = {dropin.file: dropin for dropin in dropins}
    found.refusals += files.other_machine(member, by_file)
    found.too_new += glibc.too_new(member, by_file, promised)
    for file, dropin in by_file.items():
        path = f"{place.root}{folder}/{file}"
        found.added[path] = dropin
        found.users.setdefault(path, []).append(member.name)
    edit = edit or files.edit(member, [], place, folder, {}, table, lambda use: ("", ""))
    if edit.path:
        found.edits[member.name] = replace(edit, runpath=not member.search_path)
    if member.search_path and member.has_rpath:
        found.notes.append(f"{member.name} has a DT_RPATH, which precedes LD_LIBRARY_PATH: it opens the drop-in even "
                           "if NVIDIA's library is there; the drop-in passes the calls on to the library it finds")


def _why_not(one: opened.Opened, member: Member, brought: Collection[str], needed: Mapping[str, str],
             find: Find | None) -> str:
    """The reason why this name gets no drop-in; "" if it may."""
    if one.name in brought:
        return f"{member.name} already has the drop-in {one.name}"
    if one.kind is not OpenedKind.MAJOR:
        return f"{member.name} opens {one.name}: {opened.WHO_SERVES[one.kind]}"
    if one.name in needed:
        return (f"{member.name} opens {one.name} and gets no drop-in: {needed[one.name]} must find NVIDIA's library "
                "under that name")
    if find is None:
        return f"{member.name} opens {one.name}: `anycuda run` serves it with a drop-in (--no-drop-ins)"
    outside = places.place_of(member.name).why_not
    return f"{member.name} opens {one.name} and gets no drop-in: {outside}" if outside else ""


def _needed(scan: Scan, edits: Mapping[str, FileEdit], table: Table) -> dict[str, str]:
    """name -> a file of the wheel that still needs NVIDIA's library of that name. CUDA's own libraries also need the
    libraries that they open, since these must be of the same CUDA."""
    found: dict[str, str] = {}
    for member in scan.members:
        edit = edits.get(member.name)
        names = set(member.needed) - set(edit.needed if edit else ())
        if opened.is_of_cuda(member.use, table) and not (
                member.use.provides and member.use.provides.what.is_anycudas):
            names |= {name for use in member.use.uses for name in use.strings}
        found.update({name: member.name for name in names if name not in found})
    return found
