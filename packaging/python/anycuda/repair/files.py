# SPDX-License-Identifier: Apache-2.0
"""The edit of one file of a wheel, and reasons to refuse it. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable

from ..analysis.file_use import Reference, Use
from ..analysis.libraries import NATIVE, Library, Linking, Table
from . import places
from .common import has_own_name
from .scan import Member
from .stubs import Stub


@dataclass(frozen=True)
class FileEdit:
    """`needed`: entry of DT_NEEDED -> new name. `kept`: CUDA libraries that the file still needs. `add_needed`: new
    entries. `versions`: unversioned function -> its new (stub, symbol version). `path`: the folder to add to the search
    path, "" if that leads to the stubs already; `runpath`: add it as a DT_RUNPATH if the file has no search path.
    `unknown`: libraries whose functions are used without a recorded major. `lines`: for the report."""

    name: str
    needed: dict[str, str]
    kept: tuple[str, ...]
    add_needed: tuple[str, ...]
    versions: dict[str, tuple[str, str]]
    path: str
    unknown: tuple[Use, ...]
    lines: tuple[str, ...]
    asked: tuple[tuple[str, Reference, str], ...]  # library, function, its major or ""
    runpath: bool = False


def to_replace(member: Member, foreign: frozenset[str]) -> list[Use]:
    """The uses to replace by stubs: none for a library of CUDA or a stub, and none with only weak references, which
    work without the library. `foreign`: files of this wheel with the name of a stub that are not anycuda's."""
    if is_library(member):
        return []
    return [use for use in member.use.uses
            if use.how.is_nvidias or use.how is Linking.UNNAMED and not use.optional
            or use.how is Linking.STUB and not has_own_name(use) and use.needed not in foreign]


def is_library(member: Member) -> bool:
    return member.use.is_library


def edit(member: Member, uses: list[Use], place: places.Place, folder: str, stubs: dict[str, Stub], table: Table,
         major_of: Callable[[Use], tuple[str, str]]) -> FileEdit:
    needed, added, versions, unknown, lines, asked = {}, [], {}, [], [], []
    for use in uses:
        stub, major, how = stubs[use.library], "", ""
        # References that were linked to a stub directly keep its version.
        bare = [symbol.name for symbol in use.symbols if not symbol.major and use.needed not in member.native]
        if bare and table.libraries[use.library].tells_built_for:
            major, how = major_of(use)
            symbol_version = _symbol_version(table, use.library, major)
            versions.update({name: (stub.file, symbol_version) for name in bare if symbol_version})
            unknown += [] if major else [use]
        asked += [(use.library, symbol, symbol.major or major) for symbol in use.symbols]
        if use.needed:
            needed[use.needed] = stub.file
        else:
            added.append(stub.file)
        lines.append(f"{use.needed or 'not linked'} -> {stub.file}{_built_for(use, major, how)}")
    if "nvrtc" in stubs:  # NVRTC opens its builtins; a linked one would be of the old CUDA
        builtins = [name for name in member.needed if name.startswith("libnvrtc-builtins")]
        needed.update(dict.fromkeys(builtins, stubs["nvrtc"].file))
        lines += [f"{name} -> the same" for name in builtins]
    path = "" if places.covers(member.search_path, place, folder) else places.origin_to(place, folder)
    kept = tuple(use.needed for use in member.use.uses if use.needed and use not in uses)
    return FileEdit(member.name, needed, kept, tuple(added), versions, path, tuple(unknown), tuple(lines), tuple(asked))


def _built_for(use: Use, major: str, how: str) -> str:
    if major:
        return f", built for CUDA {major} by {how}"
    return f", built for CUDA {' and '.join(use.built_for)}" if use.majors else ""


def refusals(member: Member, edit_: FileEdit, place: places.Place, stubs: dict[str, Stub], table: Table) -> list[str]:
    reasons = [f"{member.name}: {place.why_not}"] if place.why_not else []
    reasons += other_machine(member, stubs)
    for use in edit_.unknown:
        names = [symbol.name for symbol in use.symbols if not symbol.major]
        reasons.append(f"{member.name} uses {len(names)} functions of {table.libraries[use.library].stem} "
                       f"({', '.join(names[:3])}{', ...' if len(names) > 3 else ''}) without recording their CUDA "
                       "major: pass it with --built-for")
    missing = [_describe(symbol.name, major, table.libraries[library]) for library, symbol, major in edit_.asked
               if not symbol.weak and not _has(stubs[library], symbol.name, major, library, table)]
    if missing:
        reasons.append(f"{member.name} uses {', '.join(missing[:3])}{', ...' if len(missing) > 3 else ''}, unknown to "
                       "this version of anycuda: try a newer one")
    return reasons


def other_machine(member: Member, stubs: dict[str, Stub]) -> list[str]:
    return [f"{member.name} is for {member.machine}, {stub.path} for {stub.machine}: give stubs for {member.machine} "
            "with --stubs" for stub in stubs.values() if stub.machine != member.machine]


def _describe(name: str, major: str, library: Library) -> str:
    return f"{name} of CUDA {library.label(major)}" if major and library.tells_built_for else name


def _has(stub: Stub, name: str, major: str, library: str, table: Table) -> bool:
    return (name, _symbol_version(table, library, major) or NATIVE) in stub.exports


def _symbol_version(table: Table, library: str, major: str) -> str | None:
    majors = table.libraries[library].majors
    return majors[major].symbol_version if major in majors else None


def notes(member: Member, foreign: frozenset[str]) -> list[str]:
    sentences = []
    if member.use.static_runtime:
        sentences.append(f"{member.name} has a CUDA runtime linked in statically, which no stub replaces: it stays")
    for use in member.use.uses:
        if use.how is Linking.STUB and has_own_name(use):
            sentences.append(f"{member.name} already has {use.needed}")
        if use.how is Linking.PEER or use.how is Linking.STUB and use.needed in foreign:
            sentences.append(f"{member.name} needs {use.needed}, a stub of another project: it stays")
        if use.optional:
            sentences.append(f"{member.name} uses {use.library} only if it is already loaded: repair does not change "
                             "this")
    return sentences
