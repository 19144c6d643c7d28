# SPDX-License-Identifier: Apache-2.0
"""Drop-ins in a wheel: NVIDIA's names that its files open, and that no file of it brings along. Pure.

A drop-in has NVIDIA's own name, and so it is found by dlopen, in the folder of the stubs. It goes behind all that the
file finds already: a library of that name that the process has loaded, or that comes earlier on the search path, is
used as before.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Callable

from ..analysis import opened
from ..analysis.libraries import Table
from . import files, glibc, places
from .exclude import Exclude
from .files import FileEdit
from .scan import Member, Scan
from .stubs import Stub

Find = Callable[[str, str], "Stub | None"]  # library, SONAME -> its drop-in
_NO_LIBRARY = ("where no CUDA is installed, {names} can be opened nevertheless, and calls return an error status. A "
               "program that takes an opened library for a working CUDA notices only then; --no-drop-ins leaves the "
               "drop-ins out")


@dataclass
class DropIns:
    """`edits`: of files that get the folder on their search path, by name. `added`: name in the wheel -> drop-in.
    `users`: name in the wheel -> the files that open it. `too_new`: need a newer glibc than the wheel promises."""

    edits: dict[str, FileEdit] = field(default_factory=dict)
    added: dict[str, Stub] = field(default_factory=dict)
    users: dict[str, list[str]] = field(default_factory=dict)
    too_new: list[Stub] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def make(scan: Scan, edits: Mapping[str, FileEdit], folder: str, promised: tuple[int, int] | None, table: Table,
         inside: Collection[str], find: Find | None, exclude: Exclude = Exclude()) -> DropIns:
    """`edits`: what becomes of the files otherwise. `find` is None where no drop-ins are wanted."""
    found = DropIns()
    needed = _needed(scan, edits, table)
    brought = {member.soname for member in scan.members if _is_anycudas(member, "dropin")}
    for member in scan.members:
        if exclude.file(member.name):
            continue
        names: list[Stub] = []
        for one in opened.of(member.use, table, inside):
            if not one.library:  # plan.py tells of those that are of one CUDA
                continue
            why = (f"{member.name} opens {one.name} itself, and gets no drop-in: --exclude" if exclude.library(one.name)
                   else _why_not(one, member, brought, needed, find))
            dropin = find(one.library, one.name) if find and not why else None
            if dropin:
                names.append(dropin)
            elif not table.libraries[one.library].is_driver:
                found.notes.append(why or f"{member.name} opens {one.name} itself: anycuda lacks this drop-in")
        if names:
            _serve(member, names, edits.get(member.name), folder, promised, table, found)
    if found.added:
        files = sorted({stub.file for stub in found.added.values()})
        found.notes.append(_NO_LIBRARY.format(names=", ".join(files)))
    return found


def _serve(member: Member, dropins: list[Stub], edit: FileEdit | None, folder: str, promised: tuple[int, int] | None,
           table: Table, found: DropIns) -> None:
    """Also a name that the file needs, too, which is the stub's now: else dlopen would load a second library beside
    the one that the stub uses, of another CUDA perhaps."""
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
        found.notes.append(f"{member.name} has a DT_RPATH, which comes before LD_LIBRARY_PATH: the drop-in is "
                           "opened even if NVIDIA's library is there, and hands the calls to the library that it finds")


def _why_not(one: opened.Opened, member: Member, brought: Collection[str], needed: Mapping[str, str],
             find: Find | None) -> str:
    """Why this name gets no drop-in, "" if it may."""
    if one.name in brought:
        return f"{member.name} has the drop-in {one.name} already"
    if one.kind != "major":
        return f"{member.name} opens {one.name} itself: {opened.WHO_SERVES[one.kind]}"
    if one.name in needed:
        return (f"{member.name} opens {one.name} itself, and gets no drop-in: {needed[one.name]} has to find NVIDIA's "
                "library under that name")
    if find is None:
        return f"{member.name} opens {one.name} itself: `anycuda run` serves it with a drop-in (--no-drop-ins)"
    outside = places.place_of(member.name).why_not
    return f"{member.name} opens {one.name} itself, and gets no drop-in: {outside}" if outside else ""


def _needed(scan: Scan, edits: Mapping[str, FileEdit], table: Table) -> dict[str, str]:
    """name -> a file of the wheel that goes on needing NVIDIA's library of that name. Those of CUDA itself also need
    what they open: each works with the libraries of the same CUDA."""
    found: dict[str, str] = {}
    for member in scan.members:
        edit = edits.get(member.name)
        names = set(member.needed) - set(edit.needed if edit else ())
        if opened.is_of_cuda(member.use, table) and not _is_anycudas(member):
            names |= {name for use in member.use.uses for name in use.strings}
        found.update({name: member.name for name in names if name not in found})
    return found


def _is_anycudas(member: Member, *what: str) -> bool:
    return member.use.provides is not None and member.use.provides.what in (what or ("stub", "dropin"))
