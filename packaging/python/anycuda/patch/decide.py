# SPDX-License-Identifier: Apache-2.0
"""Decides how to edit a file, from the facts about it. Nothing is read or written here."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Callable

from ..analysis.file_use import FileUse, Provided, Use
from ..analysis.libraries import Library, Linking, Table
from ..elf.edit import Edit
from ..elf.read import Image
from ..failure import Failure
from .wanted import Wanted

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


@dataclass
class Decision:
    """`stubs`: library -> the stub that the file needs after the edit. `inside`: stubs linked into the file.
    `opens_at_load`: the file needs OPEN_AT_LOAD. `done` and `left`: sentences about the changes, and about everything
    that stays."""

    edit: Edit
    stubs: dict[str, str] = field(default_factory=dict)
    inside: tuple[str, ...] = ()
    opens_at_load: bool = False
    done: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)

    @property
    def changes(self) -> bool:
        return self.edit != Edit()


def decide(image: Image, use: FileUse, table: Table, wanted: Wanted, finds: Callable[[str], bool]) -> Decision:
    """`finds`: does the file's search path already lead to this stub? Raises Failure if the file cannot be patched."""
    where = str(image.path)
    if use.provides and use.provides.what in _PROVIDED:
        what = _PROVIDED[use.provides.what].format(table.libraries[use.provides.library].product)
        refusal = NothingToPatch if use.provides.what.is_anycudas else Failure
        raise refusal(f"{where}: {what}; patch the programs and libraries that use it instead")
    linked = [one for one in use.uses
              if one.how is not Linking.LOADED and not one.optional and one.needed not in use.hooked]
    if not linked and use.stubs_inside and not use.static_runtime:
        if wanted.open_at_load:
            raise Failure(f"{where}: anycuda's stub is linked into it, so --open-at-load does not work: link it again "
                          "with -Wl,--defsym=anycuda_open_at_load=1")
        return Decision(Edit(), inside=use.stubs_inside, left=_notes(image, use))
    if not linked:
        uses_cuda = use.static_runtime or use.hooked or any(one.how is Linking.LOADED for one in use.uses)
        raise (Failure if uses_cuda else NothingToPatch)(f"{where}: {_why_not(use)}")
    needed: dict[str, str] = {}
    added: list[str] = []
    versions: dict[str, tuple[str, str]] = {}
    decision = Decision(Edit(), inside=use.stubs_inside)
    for one in linked:
        library = table.libraries[one.library]
        stub = one.needed if one.how is Linking.STUB and one.needed else library.stub
        decision.stubs[library.name] = stub
        _replace(image, one, library, stub, table, needed, added)
        _describe(decision, one, library, stub)
        versions.update(_versions(where, image, one, library, stub, wanted, decision))
    decision.opens_at_load = wanted.open_at_load or OPEN_AT_LOAD in image.needed
    if wanted.open_at_load and OPEN_AT_LOAD not in image.needed:
        added.append(OPEN_AT_LOAD)
        decision.done.append(f"needs {OPEN_AT_LOAD}, so the stubs open NVIDIA's libraries when the file is loaded")
    missing = bool(needed or added) and not all(map(finds, {*decision.stubs.values(), *added}))
    decision.edit = Edit(needed, tuple(added), None, _folders(image, wanted, missing), None, versions)
    if decision.edit.rpath:
        kind = "DT_RUNPATH" if image.runpath is not None else "DT_RPATH"
        decision.done.append(f"added {', '.join(decision.edit.rpath)} to its search path ({kind})")
    decision.left += _notes(image, use, decision.opens_at_load)
    return decision


def _why_not(use: FileUse) -> str:
    loaded = [name for one in use.uses if one.how is Linking.LOADED for name in one.strings]
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


def _replace(
    image: Image, use: Use, library: Library, stub: str, table: Table, needed: dict[str, str], added: list[str]
) -> None:
    """Replaces the library's name with the stub's in DT_NEEDED and symbol versions."""
    if use.needed is not None and use.needed != stub:
        needed[use.needed] = stub
    for file, versions in image.versions_needed.items():
        owners = list(map(table.of_symbol_version, versions))
        if file != stub and file not in image.needed and any(owner and owner[0] is library for owner in owners):
            needed[file] = stub
    if use.needed is None and stub not in added:
        added.append(stub)


def _describe(decision: Decision, use: Use, library: Library, stub: str) -> None:
    built = f", built for CUDA {' and '.join(use.built_for)}" if use.majors else ""
    about = f"{library.product}: {_count(len(use.symbols), 'function')}{built}"
    if use.how is Linking.UNNAMED:
        decision.done.append(f"added {stub} to DT_NEEDED: the file used its functions without linking a library that "
                             f"provides them ({about})")
    elif use.needed != stub:
        decision.done.append(f"needs {stub} in place of {use.needed} ({about})")


def _versions(
    where: str, image: Image, use: Use, library: Library, stub: str, wanted: Wanted, decision: Decision
) -> dict[str, tuple[str, str]]:
    """Symbol versions for unversioned functions, which tell the stub the caller's major."""
    free = {symbol.name for symbol in image.undefined() if not symbol.version}
    bare = [symbol.name for symbol in use.symbols if not symbol.major and symbol.name in free]
    if use.native and library.records_major:
        decision.left.append(f"was linked with -l{stub[3:].partition('.')[0]}, which records no major, so its calls "
                             "are passed on unchecked: link it with the library in lib/anycuda/link/MAJOR")
    if not library.tells_built_for or not bare:
        return {}
    major = _major(where, use, library, len(bare), wanted)
    if major is None:
        decision.left.append(f"calls {_count(len(bare), 'function')} of {stub} without a version, which are passed on "
                             "unchecked: pass --built-for MAJOR")
        return {}
    symbol_version = library.majors[major].symbol_version
    if symbol_version is None:  # nvFatbin of CUDA 12: the library's functions have no versions
        return {}
    known = [name for name in bare if major in library.symbols.get(name, ())]
    if known:
        decision.done.append(f"{library.product}: {_count(len(known), 'unversioned function')} got the version of "
                             f"CUDA {major}")
    unknown = sorted(set(bare) - set(known))
    if unknown:
        decision.left.append(f"CUDA {major} does not have {', '.join(unknown)}: left unversioned")
    return dict.fromkeys(known, (stub, symbol_version))


def _major(where: str, use: Use, library: Library, count: int, wanted: Wanted) -> str | None:
    """The major from --built-for, or else from the file. None leaves a file with a stub unchanged."""
    if wanted.built_for:
        if use.majors and not any(wanted.built_for in library.like(major) for major in use.majors):
            raise Failure(f"{where} was built for the {library.product} of CUDA {' and '.join(use.built_for)}, which "
                          f"contradicts --built-for {wanted.built_for}: leave the option out")
        if wanted.built_for not in library.majors:
            raise Failure(f"{where}: anycuda does not know the {library.product} of CUDA {wanted.built_for}: use "
                          f"--built-for with one of {', '.join(library.majors)}")
        return wanted.built_for
    if len(use.majors) == 1:
        return use.majors[0]
    if use.how is Linking.STUB:
        return None
    raise Failure(f"{where} uses {_count(count, 'function')} without a symbol version ({library.product}), so its "
                  f"CUDA major is unknown: pass --built-for with one of {', '.join(library.majors)}")


def _folders(image: Image, wanted: Wanted, missing: bool) -> tuple[str, ...]:
    """The requested or necessary folders that are not on the search path yet."""
    folders = list(wanted.folders)
    if wanted.copy_stubs or missing and not folders:
        folders.append(HERE)
    path = image.runpath if image.runpath is not None else image.rpath or ""
    known = {_plain(folder) for folder in path.split(":")}
    return tuple(folder for folder in dict.fromkeys(folders) if _plain(folder) not in known)


def _plain(folder: str) -> str:
    return folder.replace("${ORIGIN}", HERE).rstrip("/")


def _notes(image: Image, use: FileUse, opens_at_load: bool = False) -> list[str]:
    notes = [f"still needs {name}, for which anycuda has no stub" for name in use.other]
    notes += [f"still needs {name}: it rewrites functions of this library, which a stub does not allow"
              for name in use.hooked]
    linked = {one.library for one in use.uses if one.how is not Linking.LOADED}
    for one in use.uses:
        if one.how is Linking.LOADED and one.library not in linked:
            notes.append(f"may open {', '.join(one.strings)} by name, which an edit cannot change; `anycuda run` "
                         "serves these names with drop-ins")
        if one.optional:
            notes.append(f"uses functions of {one.library} only if it is already loaded: patch does not change this")
    names = [name for one in use.uses if one.how is Linking.LOADED and one.library in linked for name in one.strings]
    # The function by which a program goes through the loaded libraries.
    if names and not opens_at_load and any(symbol.name == "dl_iterate_phdr" for symbol in image.undefined()):
        notes.append(f"looks through the loaded libraries and contains {', '.join(names)}: if it looks for this name "
                     "before its first CUDA call, patch it with --open-at-load, or start it with ANYCUDA_OPEN=load")
    if use.static_runtime:
        notes.append("has a CUDA runtime linked in statically; a stub cannot replace it")
    return notes


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
