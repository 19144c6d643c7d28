# SPDX-License-Identifier: Apache-2.0
"""The CUDA that one file uses, from its DT_NEEDED, its undefined symbols and their versions, and its strings."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

from ..elf import mark
from ..elf.read import Image
from ..elf.symbols import Symbol
from ..kind import Kind
from . import contents, hooking, libraries
from .libraries import NATIVE, Library, Linking, Table

# A file that defines this many functions of a library is that library; a file with fewer is a tool that intercepts
# them. Without NVIDIA's symbol versions they must also be most of its exports: a program's library with a loader, or
# with NVIDIA's code linked in, exports some of them, too.
_A_LIBRARY = 5
BUILTINS = "libnvrtc-builtins"  # NVRTC opens it; so do its stub and related ones, which replace both


@dataclass(frozen=True)
class Reference:
    """An undefined symbol. `major`: the major in its symbol version, or "". A reference does not imply a call."""

    name: str
    major: str
    weak: bool


@dataclass(frozen=True)
class Use:
    """The use of one library under one name.

    `needed`: the entry of DT_NEEDED that names it; None if `how` is UNNAMED or LOADED.
    `majors`: the CUDA it was built for: from the versions of its symbols, else from `needed`, else from a set of
              functions that only one major has; empty if unknown. Always empty for libraries whose callers record no
              major: the driver's, cuDNN, NCCL.
    `native`: linked to the stub directly (-lcudart_stub): the references have the stub's version, which tells no major.
              Libraries without versions in some major (nvFatbin of CUDA 12) get it from lib/anycuda/link, too.
    """

    library: str
    needed: str | None
    how: Linking
    majors: tuple[str, ...]
    symbols: tuple[Reference, ...] = ()
    strings: tuple[str, ...] = ()  # LOADED: the names of files that it may load
    native: bool = False
    labels: tuple[str, ...] = ()  # `majors` in words: "12 or 13" if they cannot be told apart
    by_path: tuple[str, ...] = ()  # those of `strings` found only at the end of a path

    @property
    def built_for(self) -> tuple[str, ...]:
        return self.labels or self.majors

    @property
    def optional(self) -> bool:
        """Are all functions weak, so that the file works without them? Then it needs no stub."""
        return self.how is Linking.UNNAMED and all(symbol.weak for symbol in self.symbols)

    @property
    def takes_stub(self) -> bool:
        """Does, or may, its entry of DT_NEEDED become a stub?"""
        return self.how.is_nvidias or self.how is Linking.STUB

    @property
    def versioned(self) -> bool:
        """Does every reference record its major? Only then are its calls checked and adapted."""
        return all(symbol.major for symbol in self.symbols)


class Provided(Kind):
    """What a file is that defines functions of a library."""

    ORIGINAL = "original"  # NVIDIA's library
    RENAMED = "renamed"  # a copy of it under another SONAME
    STUB = "stub"  # anycuda's
    DROPIN = "dropin"  # anycuda's
    PEER = "peer"  # another project's stub
    SOME = "some"  # it defines a few functions of the library, like a tool that intercepts them

    @property
    def is_nvidias(self) -> bool:
        return self in (Provided.ORIGINAL, Provided.RENAMED)

    @property
    def is_anycudas(self) -> bool:
        return self in (Provided.STUB, Provided.DROPIN)


@dataclass(frozen=True)
class Provides:
    library: str
    what: Provided
    major: str


@dataclass(frozen=True)
class FileUse:
    """`other`: needed NVIDIA libraries without a stub (libnppc.so.12), which stay.
    `static_runtime`: a CUDA runtime is linked into it; no stub takes the calls to it. `runtime_release`: its CUDA
    release, "" if unknown.
    `stubs_inside`: libraries whose stubs are linked into it; the functions that it calls there are unknown.
    `quiet`: it is a stub that writes messages only if ANYCUDA_LOG is set (elf/mark.py).
    `soname`, `needed`: entries of the dynamic section. `defines`: functions of CUDA's libraries that it exports.
    `unstubbed`: names of NVIDIA's libraries without a stub that it may load with dlopen.
    `hooked`: entries of DT_NEEDED whose functions it rewrites, so that they must stay (hooking.py)."""

    path: Path
    uses: tuple[Use, ...]
    other: tuple[str, ...]
    static_runtime: bool
    provides: Provides | None
    stubs_inside: tuple[str, ...] = ()
    quiet: bool = False
    soname: str = ""
    needed: tuple[str, ...] = ()
    defines: frozenset[str] = frozenset()
    unstubbed: tuple[str, ...] = ()
    runtime_release: str = ""
    hooked: tuple[str, ...] = ()

    @property
    def is_library(self) -> bool:
        """Is it a library of CUDA, a stub, or a copy of one? Repair does not change its DT_NEEDED."""
        return self.provides is not None and self.provides.what is not Provided.SOME

    def uses_of(self, library: str) -> tuple[Use, ...]:
        return tuple(use for use in self.uses if use.library == library)


def analyse(image: Image, table: Table | None = None) -> FileUse:
    table = table or libraries.table()
    found = contents.read(image.path, table)
    exported = [symbol.name for symbol in image.exports() if symbol.function]
    provides = _provides(image, exported, table)
    uses = [use for library in table.libraries.values() for use in _linked(image, library, table)]
    inside = () if provides and provides.what.is_anycudas else found.stubs
    for name, strings in found.names.items():
        strings = _without_the_stubs(table.libraries[name], strings, inside)
        if strings and (provides is None or provides.library != name or provides.what is Provided.SOME):
            uses.append(_loaded(table.libraries[name], strings, found.by_path))
    is_runtime = provides is not None and provides.library == "cudart" and provides.what.is_nvidias
    other = tuple(file for file in image.needed if table.has_no_stub(file))
    quiet = provides is not None and provides.what.is_anycudas and mark.is_quiet(image.path)
    defines = frozenset(filter(table.of_symbol, exported))
    not_opened = {image.soname, *image.needed, *([f"{BUILTINS}.so"] if found.stubs else [])}
    return FileUse(image.path, tuple(uses), other, found.runtime and not is_runtime, provides, inside, quiet,
                   image.soname, tuple(image.needed), defines,
                   tuple(name for name in found.unstubbed if name not in not_opened),
                   found.release if found.runtime and not is_runtime else "", hooking.drivers(image, table))


def _linked(image: Image, library: Library, table: Table) -> list[Use]:
    references, natives = _references(image, library, table)
    needed = {file: named for file in image.needed if (named := _named(image, file, library, table))}
    # Any of them may satisfy a reference without a version: the first entry does, as for the dynamic linker.
    strays = [reference for file, group in references.items() if file not in needed for reference in group]
    if not needed:
        if not strays or any(table.is_beyond_stub(file, library) for file in image.needed):
            return []
        return [_use(library, None, Linking.UNNAMED, "", strays, False)]
    first = next(iter(needed))
    return [_use(library, file, how, major, references.get(file, []) + (strays if file == first else []),
                 file in natives)
            for file, (how, major) in needed.items()]


def _references(image: Image, library: Library, table: Table) -> tuple[dict[str, list[Reference]], set[str]]:
    """The references by the entry of DT_NEEDED, or "", that their versions name; and the entries with references that
    were linked to a stub directly."""
    is_named = any(named and named.library is library for named in map(table.named, image.needed))
    references: dict[str, list[Reference]] = {}
    natives = set()
    for symbol in image.undefined():
        major = _major(symbol, library, is_named, table)
        if major is not None:
            references.setdefault(symbol.file, []).append(Reference(symbol.name, major, symbol.weak))
            if symbol.version == NATIVE:
                natives.add(symbol.file)
    return references, natives


def _major(symbol: Symbol, library: Library, is_named: bool, table: Table) -> str | None:
    """The major of a function of the library, "" if the symbol's version does not tell it; None for other symbols."""
    owner = table.of_symbol_version(symbol.version)
    if owner and owner[0] is library:
        return owner[1]
    if _is_its_own(symbol, library, table):
        return ""
    is_function = symbol.version in ("", NATIVE) and (
        is_named and symbol.name in library.symbols or table.of_symbol(symbol.name) is library)
    return "" if is_function else None


def _is_its_own(symbol: Symbol, library: Library, table: Table) -> bool:
    """Does a symbol version of the library's, which tells no major, reference it? Several libraries may have the same:
    the file tells which (libcutensor.so.1, libcutensor.so.2)."""
    if symbol.version not in library.symbol_versions or symbol.name not in library.symbols:
        return False
    named = table.named(symbol.file)
    return bool(named and named.library is library)


def _named(image: Image, file: str, library: Library, table: Table) -> tuple[Linking, str] | None:
    """(how, major) if the file is the library, by its name or by the versions that are referenced in it."""
    named = table.named(file)
    if named:
        return (named.how, named.major) if named.library is library else None
    owners = [table.of_symbol_version(version) for version in image.versions_needed.get(file, [])]
    majors = [owner[1] for owner in owners if owner and owner[0] is library]
    return (Linking.RENAMED, majors[0]) if majors else None


def _use(library: Library, needed: str | None, how: Linking, by_name: str, references: list[Reference],
         native: bool) -> Use:
    majors = {reference.major for reference in references} - {""}
    if not majors and by_name:
        majors = {by_name}
    if not majors and references:
        common = set(library.majors).intersection(*(library.symbols[reference.name] for reference in references))
        common = set(map(library.first, common))
        majors = common if len(common) == 1 else set()
    if not library.tells_built_for:
        majors = set()
    built_for = tuple(sorted(majors, key=int))
    return Use(library.name, needed, how, built_for, tuple(sorted(references, key=attrgetter("name"))),
               native=native, labels=tuple(map(library.label, built_for)))


def _without_the_stubs(library: Library, strings: tuple[str, ...], inside: tuple[str, ...]) -> tuple[str, ...]:
    """The strings without those of linked stubs: a stub contains every name of its library and related ones (cudart's
    has the driver's)."""
    own = {library.file_prefix, *(major.soname for major in library.majors.values())}
    if library.name in inside or inside and own <= set(strings):
        return tuple(name for name in strings if name not in own)
    return strings


def _loaded(library: Library, strings: tuple[str, ...], by_path: frozenset[str]) -> Use:
    majors = {library.first(major.number) for major in library.majors.values()
              if major.soname in strings and library.tells_built_for}
    built_for = tuple(sorted(majors, key=int))
    return Use(library.name, None, Linking.LOADED, built_for, strings=strings,
               labels=tuple(map(library.label, built_for)), by_path=tuple(name for name in strings if name in by_path))


def _provides(image: Image, exported: list[str], table: Table) -> Provides | None:
    named = table.named(image.soname) if image.soname else None
    own = [owner for owner in map(table.of_symbol_version, image.versions_defined) if owner]
    counts = Counter(library.name for library in map(table.of_symbol, exported) if library)
    if not counts:
        return None
    name, count = counts.most_common(1)[0]
    if libraries.is_anycudas(image):
        what = Provided.STUB if named is None or named.how is Linking.STUB else Provided.DROPIN
        return Provides(named.library.name if named else name, what, named.major if named else "")
    if count < _A_LIBRARY:
        return Provides(name, Provided.SOME, "")
    nvidias = Provided.ORIGINAL if named and named.how is Linking.NAMED else Provided.RENAMED
    if own:
        return Provides(own[0][0].name, nvidias, own[0][1])
    without_versions = not any(major.symbol_version for major in table.libraries[name].majors.values())
    if without_versions and named and named.how.is_nvidias:
        return Provides(name, nvidias, "")
    if named is None and (without_versions or 2 * count < len(exported) or not image.soname):
        return Provides(name, Provided.SOME, "")
    return Provides(name, Provided.PEER, "")
