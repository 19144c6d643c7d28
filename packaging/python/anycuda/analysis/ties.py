# SPDX-License-Identifier: Apache-2.0
"""The libraries that tie the files of a wheel to one CUDA even with stubs in place. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from ..kind import Kind
from . import opened
from .file_use import BUILTINS, FileUse
from .libraries import Table
from .opened import OpenedKind

_NVRTC = ("libnvrtc.", "libnvrtc-")  # its SONAME, and a bundled copy's
Files = Sequence["tuple[str, FileUse]"]  # (name, use)
Inside = Collection[str]  # names under which files of the wheel are found


class TieKind(Kind):
    """How a file asks for the library; describe_ties.py has the words for each kind."""

    NEEDS = "needs"  # DT_NEEDED: without the library the file does not load
    OPENS = "opens"  # dlopen: without it some features do not work


@dataclass(frozen=True)
class Tie:
    """`library`: the name that the file asks for. `cuda`: the CUDA of the name, "" if its number is not CUDA's
    (libcudnn.so.7)."""

    file: str
    library: str
    how: TieKind
    cuda: str

    def is_met_by(self, majors: Collection[str]) -> bool:
        """Does every one of these CUDA majors have the library?"""
        return bool(self.cuda) and set(majors) <= set(self.cuda.split(" or "))


def find(files: Files, inside: Inside, table: Table) -> list[Tie]:
    """The ties of the files that a repair keeps in the wheel; none if all of them are CUDA's libraries."""
    return [Tie(name, library, kind, cuda)
            for name, file in counted(files, table) for kind, finder in FINDERS.items()
            for library in finder(file, inside, table) if (cuda := table.cuda_of(library)) is not None]


def counted(files: Files, table: Table) -> list[tuple[str, FileUse]]:
    left = staying(files)
    return [] if all(opened.is_of_cuda(file, table) for _, file in left) else left


def outside(file: FileUse, inside: Inside) -> list[str]:
    """The libraries that it needs from outside the wheel, with stubs in place."""
    replaced = replaced_in(file)
    return [name for name in file.needed if name not in replaced and name not in inside]


def _needed(file: FileUse, inside: Inside, table: Table) -> Iterable[str]:
    return outside(file, inside)


def _opened(file: FileUse, inside: Inside, table: Table) -> Iterable[str]:
    """A file that names a library of several CUDAs tries them and takes the installed one."""
    names = [name.name for name in opened.find(file, table, inside) if name.kind is OpenedKind.TIED]
    stems = [name.partition(".so")[0] for name in names]
    return [name for name, stem in zip(names, stems) if stems.count(stem) == 1]


# Each finds the libraries that a file asks for; find() makes ties of those that belong to one CUDA.
FINDERS: dict[TieKind, Callable[[FileUse, Inside, Table], Iterable[str]]] = {
    TieKind.NEEDS: _needed,
    TieKind.OPENS: _opened,
}


def replaced_in(file: FileUse) -> set[str]:
    """The entries of DT_NEEDED that become stubs; none for a library of CUDA."""
    if file.is_library:
        return set()
    stubbed = [use for use in file.uses if use.needed and use.takes_stub]
    has_nvrtc = any(use.library == "nvrtc" for use in stubbed)
    builtins = [name for name in file.needed if has_nvrtc and name.startswith(BUILTINS)]
    return {*(use.needed for use in stubbed if use.needed), *builtins}


def staying(files: Files) -> list[tuple[str, FileUse]]:
    """The files without the copies of CUDA's libraries that stubs make superfluous."""
    removed = leaving(files, {name: replaced_in(file) for name, file in files})
    return [(name, file) for name, file in files if not removed.get(name)]


def leaving(files: Files, replaced: Mapping[str, Collection[str]], stubs: Collection[str] = (),
            opens: Mapping[str, Collection[str]] = MappingProxyType({}), named: Collection[str] = ()
            ) -> dict[str, bool]:
    """The copies of CUDA's libraries, and of `stubs`, that leave the wheel because no remaining file needs or opens
    them any more. `replaced`: file -> the entries of its DT_NEEDED that become stubs. `opens`: file -> names that it
    opens beyond those in its use. `named`: files that stay because a text names them."""
    names = {name: _names(name, file) for name, file in files}
    wanted = {name: _wanted(file, replaced.get(name, ())) | set(opens.get(name, ())) for name, file in files}
    old = {need for needs in replaced.values() for need in needs}
    has_nvrtc = any(need.startswith(_NVRTC) for need in old)
    goes = {name: name not in named for name, file in files
            if (_is_copy(file) and not file.static_runtime or name in stubs) and names[name] & old
            or _is_builtins(name) and has_nvrtc}
    while True:  # a file that stays may need one that was to leave
        still = {need for name, needs in wanted.items() if not goes.get(name) for need in needs}
        kept = [name for name, removed in goes.items() if removed and names[name] & still]
        if not kept:
            return goes
        goes.update(dict.fromkeys(kept, False))


def copies_with_runtime(files: Files) -> frozenset[str]:
    """The names of the copies with a static CUDA runtime. They run wherever the driver is new enough, even without an
    installed CUDA, so files keep needing them; a stub in their place would need a library that may be missing."""
    copies = [(name, file) for name, file in files if _is_copy(file) and file.static_runtime]
    return frozenset(alias for name, file in copies for alias in _names(name, file))


def _is_copy(file: FileUse) -> bool:
    return file.provides is not None and file.provides.what.is_nvidias


def _names(name: str, file: FileUse) -> set[str]:
    return {name.rpartition("/")[2], file.soname} - {""}


def _is_builtins(name: str) -> bool:
    return name.rpartition("/")[2].startswith(BUILTINS)


def _wanted(file: FileUse, replaced: Collection[str]) -> set[str]:
    strings = {text for use in file.uses for text in use.strings}
    return set(file.needed) - set(replaced) | strings | set(file.unstubbed)
