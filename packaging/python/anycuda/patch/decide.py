# SPDX-License-Identifier: Apache-2.0
"""Decides how to edit a file, from the facts about it. Nothing is read or written here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable

from ..analysis.file_use import FileUse, Provided, Use
from ..analysis.libraries import Library, Linking, Table
from ..elf.edit import Edit
from ..elf.read import Image
from ..failure import Failure
from .options import Options

HERE = "$ORIGIN"
OPEN_AT_LOAD = "libanycuda_open_at_load.so"  # stubs/open_at_load.cc
_PROVIDED = {
    Provided.ORIGINAL: "is NVIDIA's {}",
    Provided.RENAMED: "is a copy of NVIDIA's {}",
    Provided.STUB: "is a stub of anycuda",
    Provided.DROPIN: "is a drop-in of anycuda",
    Provided.PEER: "is a stub of another project",
}


class NothingToPatch(Failure):
    """The file has nothing to patch, which is not an error if there are others: it is skipped."""


@dataclass(frozen=True)
class Decision:
    """`stubs`: library -> the stub that the file needs after the edit. `inside`: stubs linked into the file.
    `opens_at_load`: the file needs OPEN_AT_LOAD. `done` and `left`: sentences about the changes, and about everything
    that stays."""

    edit: Edit
    stubs: dict[str, str]
    inside: tuple[str, ...]
    opens_at_load: bool
    done: list[str]
    left: list[str]

    @property
    def changes(self) -> bool:
        return self.edit != Edit()


@dataclass(frozen=True)
class _Replacement:
    """The part of a decision that is about one use of a library. `needed`: old -> new name in DT_NEEDED and symbol
    versions. `is_added`: is the stub a new entry of DT_NEEDED? `versions`: function -> (stub, symbol version)."""

    library: Library
    stub: str
    needed: dict[str, str]
    is_added: bool
    versions: dict[str, tuple[str, str]]
    done: list[str]
    left: list[str]


def decide(image: Image, use: FileUse, table: Table, options: Options, finds: Callable[[str], bool]) -> Decision:
    """`finds`: does the file's search path already lead to this stub? Raises Failure if the file cannot be patched."""
    _check_provided(image, use, table)
    linked = [entry for entry in use.uses
              if entry.how is not Linking.LOADED and not entry.optional and entry.needed not in use.hooked]
    if not linked:
        return _decide_unlinked(image, use, options)
    replacements = [_replace(image, entry, table, options) for entry in linked]
    stubs = {replacement.library.name: replacement.stub for replacement in replacements}
    added = list(dict.fromkeys(replacement.stub for replacement in replacements if replacement.is_added))
    done = [sentence for replacement in replacements for sentence in replacement.done]
    if options.open_at_load and OPEN_AT_LOAD not in image.needed:
        added.append(OPEN_AT_LOAD)
        done.append(f"needs {OPEN_AT_LOAD}, so the stubs open NVIDIA's libraries when the file is loaded")
    needed = {name: stub for replacement in replacements for name, stub in replacement.needed.items()}
    is_missing = bool(needed or added) and not all(map(finds, {*stubs.values(), *added}))
    folders = _folders(image, options, is_missing)
    if folders:
        kind = "DT_RUNPATH" if image.runpath is not None else "DT_RPATH"
        done.append(f"added {', '.join(folders)} to its search path ({kind})")
    versions = {name: version for replacement in replacements for name, version in replacement.versions.items()}
    opens_at_load = options.open_at_load or OPEN_AT_LOAD in image.needed
    left = [sentence for replacement in replacements for sentence in replacement.left]
    return Decision(Edit(needed, tuple(added), None, folders, None, versions), stubs, use.stubs_inside, opens_at_load,
                    done, left + _notes(image, use, opens_at_load))


def _check_provided(image: Image, use: FileUse, table: Table) -> None:
    """Raises Failure if the file is itself a library of CUDA or a stub."""
    if use.provides and use.provides.what in _PROVIDED:
        what = _PROVIDED[use.provides.what].format(table.libraries[use.provides.library].product)
        refusal = NothingToPatch if use.provides.what.is_anycudas else Failure
        raise refusal(f"{image.path}: {what}; patch the programs and libraries that use it instead")


def _decide_unlinked(image: Image, use: FileUse, options: Options) -> Decision:
    """For a file without a reference to replace: it may have a stub linked in, otherwise this raises Failure."""
    if use.stubs_inside and not use.static_runtime:
        if options.open_at_load:
            raise Failure(f"{image.path}: anycuda's stub is linked into it, so --open-at-load does not work: link it "
                          "again with -Wl,--defsym=anycuda_open_at_load=1")
        return Decision(Edit(), {}, use.stubs_inside, False, [], _notes(image, use, False))
    uses_cuda = use.static_runtime or use.hooked or any(entry.how is Linking.LOADED for entry in use.uses)
    raise (Failure if uses_cuda else NothingToPatch)(f"{image.path}: {_why_not(use)}")


def _why_not(use: FileUse) -> str:
    loaded = [name for entry in use.uses if entry.how is Linking.LOADED for name in entry.strings]
    if use.static_runtime:
        return ("has the CUDA runtime linked in statically, so it has no reference to replace: link it again with "
                "nvcc -cudart shared")
    if use.hooked:
        return f"rewrites functions of {', '.join(use.hooked)}, which a stub does not allow: it works without a change"
    if loaded:
        return (f"is not linked to a CUDA library, but may open {', '.join(loaded)} by name: start it with `anycuda "
                "run`, which serves these names with drop-ins")
    if use.other:
        return f"needs only CUDA libraries for which anycuda has no stub: {', '.join(use.other)}"
    return "uses no CUDA library"


def _replace(image: Image, use: Use, table: Table, options: Options) -> _Replacement:
    library = table.libraries[use.library]
    stub = use.needed if use.how is Linking.STUB and use.needed else library.stub
    versions, done, left = _versions(image, use, library, stub, options)
    return _Replacement(library, stub, _needed(image, use, library, stub, table), use.needed is None, versions,
                        [*_describe(use, library, stub), *done], left)


def _needed(image: Image, use: Use, library: Library, stub: str, table: Table) -> dict[str, str]:
    """The names of the library in DT_NEEDED and symbol versions -> the stub."""
    needed = {use.needed: stub} if use.needed is not None and use.needed != stub else {}
    for file, versions in image.versions_needed.items():
        owners = map(table.of_symbol_version, versions)
        if file != stub and file not in image.needed and any(owner and owner[0] is library for owner in owners):
            needed[file] = stub
    return needed


def _describe(use: Use, library: Library, stub: str) -> list[str]:
    built = f", built for CUDA {' and '.join(use.built_for)}" if use.majors else ""
    about = f"{library.product}: {_count(len(use.symbols), 'function')}{built}"
    if use.how is Linking.UNNAMED:
        return [f"added {stub} to DT_NEEDED: the file used its functions without linking a library that provides them "
                f"({about})"]
    return [f"needs {stub} in place of {use.needed} ({about})"] if use.needed != stub else []


def _versions(image: Image, use: Use, library: Library, stub: str, options: Options
              ) -> tuple[dict[str, tuple[str, str]], list[str], list[str]]:
    """(symbol versions for unversioned functions, which tell the stub the caller's major; done; left)"""
    left = []
    unversioned = {symbol.name for symbol in image.undefined() if not symbol.version}
    bare = [symbol.name for symbol in use.symbols if not symbol.major and symbol.name in unversioned]
    if use.native and library.records_major:
        left.append(f"was linked with -l{stub[3:].partition('.')[0]}, which records no major, so its calls are passed "
                    "on unchecked: link it with the library in lib/anycuda/link/MAJOR")
    if not library.tells_built_for or not bare:
        return {}, [], left
    major = _major(image, use, library, len(bare), options)
    if major is None:
        left.append(f"calls {_count(len(bare), 'function')} of {stub} without a version, which are passed on "
                    "unchecked: pass --built-for MAJOR")
        return {}, [], left
    symbol_version = library.majors[major].symbol_version
    if symbol_version is None:  # nvFatbin of CUDA 12: the library's functions have no versions
        return {}, [], left
    known = [name for name in bare if major in library.symbols.get(name, ())]
    unknown = sorted(set(bare) - set(known))
    if unknown:
        left.append(f"CUDA {major} does not have {', '.join(unknown)}: left unversioned")
    done = [f"{library.product}: {_count(len(known), 'unversioned function')} got the version of CUDA {major}"]
    return dict.fromkeys(known, (stub, symbol_version)), done if known else [], left


def _major(image: Image, use: Use, library: Library, count: int, options: Options) -> str | None:
    """The major from --built-for, or else from the file. None leaves a file with a stub unchanged."""
    if options.built_for:
        if use.majors and not any(options.built_for in library.like(major) for major in use.majors):
            raise Failure(f"{image.path} was built for the {library.product} of CUDA {' and '.join(use.built_for)}, "
                          f"which contradicts --built-for {options.built_for}: leave the option out")
        if options.built_for not in library.majors:
            raise Failure(f"{image.path}: anycuda does not know the {library.product} of CUDA {options.built_for}: use "
                          f"--built-for with one of {', '.join(library.majors)}")
        return options.built_for
    if len(use.majors) == 1:
        return use.majors[0]
    if use.how is Linking.STUB:
        return None
    raise Failure(f"{image.path} uses {_count(count, 'function')} without a symbol version ({library.product}), so its "
                  f"CUDA major is unknown: pass --built-for with one of {', '.join(library.majors)}")


def _folders(image: Image, options: Options, is_missing: bool) -> tuple[str, ...]:
    """The requested or necessary folders that are not on the search path yet."""
    folders = list(options.folders)
    if options.copy_stubs or is_missing and not folders:
        folders.append(HERE)
    path = image.runpath if image.runpath is not None else image.rpath or ""
    present = {_plain(folder) for folder in path.split(":")}
    return tuple(folder for folder in dict.fromkeys(folders) if _plain(folder) not in present)


def _plain(folder: str) -> str:
    return folder.replace("${ORIGIN}", HERE).rstrip("/")


def _notes(image: Image, use: FileUse, opens_at_load: bool) -> list[str]:
    notes = [f"still needs {name}, for which anycuda has no stub" for name in use.other]
    notes += [f"still needs {name}: it rewrites functions of this library, which a stub does not allow"
              for name in use.hooked]
    linked = {entry.library for entry in use.uses if entry.how is not Linking.LOADED}
    for entry in use.uses:
        if entry.how is Linking.LOADED and entry.library not in linked:
            notes.append(f"may open {', '.join(entry.strings)} by name, which an edit cannot change; `anycuda run` "
                         "serves these names with drop-ins")
        if entry.optional:
            notes.append(f"uses functions of {entry.library} only if it is already loaded: patch does not change this")
    names = [name for entry in use.uses if entry.how is Linking.LOADED and entry.library in linked
             for name in entry.strings]
    # The function by which a program goes through the loaded libraries.
    if names and not opens_at_load and any(symbol.name == "dl_iterate_phdr" for symbol in image.undefined()):
        notes.append(f"looks through the loaded libraries and contains {', '.join(names)}: if it looks for this name "
                     "before its first CUDA call, patch it with --open-at-load, or start it with ANYCUDA_OPEN=load")
    if use.static_runtime:
        notes.append("has a CUDA runtime linked in statically; a stub cannot replace it")
    return notes


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
