# SPDX-License-Identifier: Apache-2.0
"""One file of a wheel: what is changed in it, and what stands against that. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable

from ..analysis.libraries import NATIVE, Library, Table
from ..analysis.uses import Reference, Use
from . import places
from .common import has_own_name
from .scan import Member
from .stubs import Stub


@dataclass(frozen=True)
class FileEdit:
    """`needed`: other names for entries of DT_NEEDED. `kept`: CUDA libraries that it goes on needing. `add_needed`: new
    ones. `versions`: function without version -> (stub, node) that it gets. `path`: what the search path gets, "" if it
    leads to the stubs already; `runpath`: as a DT_RUNPATH if the file has no search path. `unknown`: libraries whose
    functions are used without saying for which major. `said`: for people."""

    name: str
    needed: dict[str, str]
    kept: tuple[str, ...]
    add_needed: tuple[str, ...]
    versions: dict[str, tuple[str, str]]
    path: str
    unknown: tuple[Use, ...]
    said: tuple[str, ...]
    asked: tuple[tuple[str, Reference, str], ...]  # library, function, the major that it is asked for ("")
    runpath: bool = False


def to_replace(member: Member, foreign: frozenset[str]) -> list[Use]:
    """A library of CUDA itself, or a stub, does not use another. What a file can do without (all its references
    are weak) it does without now, and a need would change that. `foreign`: files of this wheel that have the name
    of a stub and are not anycuda's."""
    if is_library(member):
        return []
    return [use for use in member.use.uses
            if use.how in ("named", "renamed") or use.how == "unnamed" and not use.optional
            or use.how == "stub" and not has_own_name(use) and use.needed not in foreign]


def is_library(member: Member) -> bool:
    return member.use.is_library


def edit(member: Member, uses: list[Use], place: places.Place, folder: str, stubs: dict[str, Stub], table: Table,
         major_of: Callable[[Use], tuple[str, str]]) -> FileEdit:
    needed, added, versions, unknown, said, asked = {}, [], {}, [], [], []
    for use in uses:
        stub, major, how = stubs[use.library], "", ""
        # Those that were linked to the stub itself have its own version, which stays.
        bare = [one for one in use.symbols if not one.major and use.needed not in member.native]
        if bare and table.libraries[use.library].tells_built_for:
            major, how = major_of(use)
            node = _node(table, use.library, major)
            versions.update({one.name: (stub.file, node) for one in bare if node})
            unknown += [] if major else [use]
        asked += [(use.library, one, one.major or major) for one in use.symbols]
        if use.needed:
            needed[use.needed] = stub.file
        else:
            added.append(stub.file)
        said.append(f"{use.needed or 'no name'} -> {stub.file}{_built_for(use, major, how)}")
    if "nvrtc" in stubs:  # which the real one opens itself; linked to the file it would only be of the old CUDA
        builtins = [name for name in member.needed if name.startswith("libnvrtc-builtins")]
        needed.update(dict.fromkeys(builtins, stubs["nvrtc"].file))
        said += [f"{name} -> the same" for name in builtins]
    path = "" if places.covers(member.search_path, place, folder) else places.origin_to(place, folder)
    kept = tuple(use.needed for use in member.use.uses if use.needed and use not in uses)
    return FileEdit(member.name, needed, kept, tuple(added), versions, path, tuple(unknown), tuple(said), tuple(asked))


def _built_for(use: Use, major: str, how: str) -> str:
    if major:
        return f", built for CUDA {major} by {how}"
    return f", built for CUDA {' and '.join(use.built_for)}" if use.majors else ""


def refusals(member: Member, edit_: FileEdit, place: places.Place, stubs: dict[str, Stub], table: Table) -> list[str]:
    said = [f"{member.name}: {place.why_not}"] if place.why_not else []
    said += other_machine(member, stubs)
    for use in edit_.unknown:
        names = [one.name for one in use.symbols if not one.major]
        said.append(f"{member.name} uses {len(names)} functions of {table.libraries[use.library].stem} "
                    f"({', '.join(names[:3])}{', ...' if len(names) > 3 else ''}) and does not say of which CUDA: "
                    "if you know it, say it with --built-for")
    missing = [_wanted(one.name, major, table.libraries[library]) for library, one, major in edit_.asked
               if not one.weak and not _has(stubs[library], one.name, major, library, table)]
    if missing:
        said.append(f"{member.name} uses {', '.join(missing[:3])}{', ...' if len(missing) > 3 else ''}, which this "
                    "anycuda does not know: a newer one may")
    return said


def other_machine(member: Member, stubs: dict[str, Stub]) -> list[str]:
    return [f"{member.name} is for {member.machine}, {stub.path} for {stub.machine}: give stubs for {member.machine} "
            "with --stubs" for stub in stubs.values() if stub.machine != member.machine]


def _wanted(name: str, major: str, library: Library) -> str:
    return f"{name} of CUDA {library.label(major)}" if major and library.tells_built_for else name


def _has(stub: Stub, name: str, major: str, library: str, table: Table) -> bool:
    return (name, _node(table, library, major) or NATIVE) in stub.exports


def _node(table: Table, library: str, major: str) -> str | None:
    majors = table.libraries[library].majors
    return majors[major].node if major in majors else None


def notes(member: Member, foreign: frozenset[str]) -> list[str]:
    use, said = member.use, []
    if use.static_runtime:
        said.append(f"{member.name} has a CUDA runtime linked into it, which no stub replaces: it goes on as it is")
    for one in use.uses:
        if one.how == "stub" and has_own_name(one):
            said.append(f"{member.name} has {one.needed} already")
        if one.how == "peer" or one.how == "stub" and one.needed in foreign:
            said.append(f"{member.name} needs {one.needed}, a stub of another project: it stays")
        if one.optional:
            said.append(f"{member.name} uses {one.library} if somebody else has loaded it: it stays so")
    return said
