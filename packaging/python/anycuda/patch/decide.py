# SPDX-License-Identifier: Apache-2.0
"""What has to be done to a file, from what it says about itself. Nothing is read or written here."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Callable

from ..analysis.libraries import Library, Table
from ..analysis.uses import FileUse, Use
from ..elf.edit import Edit
from ..elf.read import Image
from ..failure import Failure
from .wanted import Wanted

HERE = "$ORIGIN"
_LINKED = ("named", "renamed", "peer", "stub", "unnamed")
_PROVIDED = {
    "original": "is NVIDIA's {} itself",
    "renamed": "is a copy of NVIDIA's {}",
    "stub": "is a stub of anycuda itself",
    "dropin": "is a drop-in of anycuda itself",
    "peer": "is a stub of another project",
}


class NothingToPatch(Failure):
    """No file that could be patched, and nothing is wrong with it: among others it is passed over."""


@dataclass
class Decision:
    """`stubs` are what the file needs when it is done, by library; `inside` names those that are a part of it. `done`
    and `left` are sentences: what is changed, and what the user should know about the rest."""

    edit: Edit
    stubs: dict[str, str] = field(default_factory=dict)
    inside: tuple[str, ...] = ()
    done: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)

    @property
    def changes(self) -> bool:
        return self.edit != Edit()


def decide(image: Image, use: FileUse, table: Table, wanted: Wanted, finds: Callable[[str], bool]) -> Decision:
    """`finds`: does the file's search path lead to this stub already? A Failure says why nothing can be done."""
    where = str(image.path)
    if use.provides and use.provides.what in _PROVIDED:
        what = _PROVIDED[use.provides.what].format(table.libraries[use.provides.library].product)
        refusal = NothingToPatch if use.provides.what in ("stub", "dropin") else Failure
        raise refusal(f"{where}: {what}; what is patched is a program or library that uses it")
    linked = [one for one in use.uses if one.how in _LINKED and not one.optional]
    if not linked and use.stubs_inside and not use.static_runtime:
        return Decision(Edit(), inside=use.stubs_inside, left=_notes(use))
    if not linked:
        uses_cuda = use.static_runtime or any(one.how == "loaded" for one in use.uses)
        raise (Failure if uses_cuda else NothingToPatch)(f"{where}: {_why_not(use)}")
    needed: dict[str, str] = {}
    added: list[str] = []
    versions: dict[str, tuple[str, str]] = {}
    decision = Decision(Edit(), inside=use.stubs_inside)
    for one in linked:
        library = table.libraries[one.library]
        stub = one.needed if one.how == "stub" and one.needed else library.stub
        decision.stubs[library.name] = stub
        _replace(image, one, library, stub, table, needed, added)
        _describe(decision, one, library, stub)
        versions.update(_versions(where, image, one, library, stub, wanted, decision))
    missing = bool(needed or added) and not all(map(finds, decision.stubs.values()))
    decision.edit = Edit(needed, tuple(added), None, _folders(image, wanted, missing), None, versions)
    if decision.edit.rpath:
        kind = "DT_RUNPATH" if image.runpath is not None else "DT_RPATH"
        decision.done.append(f"looks for libraries in {', '.join(decision.edit.rpath)} also ({kind})")
    decision.left += _notes(use)
    return decision


def _why_not(use: FileUse) -> str:
    loaded = [name for one in use.uses if one.how == "loaded" for name in one.strings]
    if use.static_runtime:
        return ("the CUDA runtime is linked into it statically, so there is no name to replace: link it again with "
                "nvcc's -cudart shared")
    if loaded:
        return (f"names no CUDA library that it needs, but may open {', '.join(loaded)} itself: `anycuda run` gives it "
                "the stubs under those names")
    if use.other:
        return f"needs {', '.join(use.other)}, for which there is no stub, and no other CUDA library"
    return "uses no CUDA library"


def _replace(
    image: Image, use: Use, library: Library, stub: str, table: Table, needed: dict[str, str], added: list[str]
) -> None:
    """The stub's name for whatever names the library, in needs and in symbol versions."""
    if use.needed is not None and use.needed != stub:
        needed[use.needed] = stub
    for file, nodes in image.versions_needed.items():
        owners = [table.of_node(node) for node in nodes]
        if file != stub and file not in image.needed and any(owner and owner[0] is library for owner in owners):
            needed[file] = stub
    if use.needed is None and stub not in added:
        added.append(stub)


def _describe(decision: Decision, use: Use, library: Library, stub: str) -> None:
    built = f", built for CUDA {' and '.join(use.built_for)}" if use.majors else ""
    about = f"{_count(len(use.symbols), 'function')} of the {library.product}{built}"
    if use.how == "unnamed":
        decision.done.append(f"needs {stub}; it named nothing that has the functions which it uses ({about})")
    elif use.needed != stub:
        decision.done.append(f"needs {stub} in place of {use.needed} ({about})")


def _versions(
    where: str, image: Image, use: Use, library: Library, stub: str, wanted: Wanted, decision: Decision
) -> dict[str, tuple[str, str]]:
    """Versions for the functions that have none: from them the stub knows what its caller was built for."""
    free = {symbol.name for symbol in image.undefined() if not symbol.version}
    bare = [symbol.name for symbol in use.symbols if not symbol.major and symbol.name in free]
    if use.native and library.records_major:
        decision.left.append(f"was linked to {stub} itself, so its calls have no major, and none is adapted: that "
                             "takes another link, with the library in lib/anycuda/link/MAJOR")
    if not library.tells_built_for or not bare:
        return {}
    major = _major(where, use, library, len(bare), wanted)
    if major is None:
        decision.left.append(f"calls {_count(len(bare), 'function')} of {stub} that have no version: they go on "
                             "unchecked to whatever CUDA is there (--built-for MAJOR, if you know it)")
        return {}
    node = library.majors[major].node
    if node is None:  # nvFatbin of CUDA 12: the library's functions have no versions
        return {}
    known = [name for name in bare if major in library.symbols.get(name, ())]
    if known:
        decision.done.append(f"{_count(len(known), 'function')} of the {library.product} had no version, and got "
                             f"CUDA {major}'s")
    unknown = sorted(set(bare) - set(known))
    if unknown:
        decision.left.append(f"CUDA {major} has no {', '.join(unknown)}: left without a version")
    return dict.fromkeys(known, (stub, node))


def _major(where: str, use: Use, library: Library, count: int, wanted: Wanted) -> str | None:
    """What the user says, or else the file. None leaves a file as it is that has the stub already."""
    if wanted.built_for:
        if use.majors and not any(wanted.built_for in library.like(major) for major in use.majors):
            raise Failure(f"{where}: --built-for {wanted.built_for}, but it was built for the {library.product} of "
                          f"CUDA {' and '.join(use.built_for)}")
        if wanted.built_for not in library.majors:
            raise Failure(f"{where}: --built-for {wanted.built_for}: the {library.product} is known of CUDA "
                          f"{', '.join(library.majors)}")
        return wanted.built_for
    if len(use.majors) == 1:
        return use.majors[0]
    if use.how == "stub":
        return None
    raise Failure(f"{where}: uses {_count(count, 'function')} of the {library.product} without any symbol version, so "
                  f"it does not say what it was built for: give --built-for, one of {', '.join(library.majors)}")


def _folders(image: Image, wanted: Wanted, missing: bool) -> tuple[str, ...]:
    """Those that are wanted, or else necessary, and not in the search path yet."""
    folders = list(wanted.folders)
    if wanted.copy_stubs or missing and not folders:
        folders.append(HERE)
    path = image.runpath if image.runpath is not None else image.rpath or ""
    known = {_plain(folder) for folder in path.split(":")}
    return tuple(folder for folder in dict.fromkeys(folders) if _plain(folder) not in known)


def _plain(folder: str) -> str:
    return folder.replace("${ORIGIN}", HERE).rstrip("/")


def _notes(use: FileUse) -> list[str]:
    notes = [f"goes on needing {name}, for which there is no stub" for name in use.other]
    linked = {one.library for one in use.uses if one.how != "loaded"}
    for one in use.uses:
        if one.how == "loaded" and one.library not in linked:
            notes.append(f"may open {', '.join(one.strings)} itself, which no edit changes; `anycuda run` gives it the "
                         "stubs under those names")
        if one.optional:
            notes.append(f"uses functions of {one.library} only where somebody brings them: left as it is")
    if use.static_runtime:
        notes.append("has a CUDA runtime linked into it statically, whose calls no stub sees")
    return notes


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
