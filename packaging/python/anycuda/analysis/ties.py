# SPDX-License-Identifier: Apache-2.0
"""The libraries that tie the files of a wheel to one CUDA even with stubs in place. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from ..kind import Kind
from . import opened
from .file_use import BUILTINS, FileUse
from .libraries import Table
from .opened import OpenedKind

_NVRTC = ("libnvrtc.", "libnvrtc-")  # its SONAME, and a bundled copy's
Files = Sequence["tuple[str, FileUse]"]  # (name, use)


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


def find(files: Files, inside: Collection[str], table: Table) -> list[Tie]:
    """The ties of the files that a repair keeps in the wheel; none if all of them are CUDA's libraries. `inside`: names
    under which files of the wheel are found."""
    found = []
    for name, use in counted(files, table):
        asked = [*((one, TieKind.NEEDS) for one in outside(use, inside)),
                 *((one.name, TieKind.OPENS) for one in _opened(use, inside, table))]
        for library, how in asked:
            cuda = table.cuda_of(library)
            if cuda is not None:
                found.append(Tie(name, library, how, cuda))
    return found


def counted(files: Files, table: Table) -> list[tuple[str, FileUse]]:
    left = staying(files)
    return [] if all(opened.is_of_cuda(use, table) for _, use in left) else left


def outside(use: FileUse, inside: Collection[str]) -> list[str]:
    """The libraries that it needs from outside the wheel, with stubs in place."""
    replaced = replaced_in(use)
    return [one for one in use.needed if one not in replaced and one not in inside]


def replaced_in(use: FileUse) -> set[str]:
    """The entries of DT_NEEDED that become stubs; none for a library of CUDA."""
    if use.is_library:
        return set()
    stubbed = [one for one in use.uses if one.needed and one.takes_stub]
    found = {one.needed for one in stubbed if one.needed}
    if any(one.library == "nvrtc" for one in stubbed):
        found |= {one for one in use.needed if one.startswith(BUILTINS)}
    return found


def staying(files: Files) -> list[tuple[str, FileUse]]:
    """The files without the copies of CUDA's libraries that stubs make superfluous."""
    removed = leaving(files, {name: replaced_in(use) for name, use in files})
    return [(name, use) for name, use in files if not removed.get(name)]


def leaving(files: Files, replaced: Mapping[str, Collection[str]], stubs: Collection[str] = (),
            opens: Mapping[str, Collection[str]] = MappingProxyType({}), named: Collection[str] = ()
            ) -> dict[str, bool]:
    """The copies of CUDA's libraries, and of `stubs`, that leave the wheel because no remaining file needs or opens
    them any more. `replaced`: file -> the entries of its DT_NEEDED that become stubs. `opens`: file -> names that it
    opens beyond those in its use. `named`: files that stay because a text names them."""
    names = {name: _names(name, use) for name, use in files}
    wanted = {name: _wanted(use, replaced.get(name, ())) | set(opens.get(name, ())) for name, use in files}
    old = {need for needs in replaced.values() for need in needs}
    has_nvrtc = any(need.startswith(_NVRTC) for need in old)
    found = {name: name not in named for name, use in files
             if (_is_copy(use) and not use.static_runtime or name in stubs) and names[name] & old
             or _is_builtins(name) and has_nvrtc}
    while True:  # a file that stays may need one that was to leave
        still = {need for name, needs in wanted.items() if not found.get(name) for need in needs}
        kept = [name for name, removed in found.items() if removed and names[name] & still]
        if not kept:
            return found
        found.update(dict.fromkeys(kept, False))


def copies_with_runtime(files: Files) -> frozenset[str]:
    """The names of the copies with a static CUDA runtime. They run wherever the driver is new enough, even without an
    installed CUDA, so files keep needing them; a stub in their place would need a library that may be missing."""
    copies = [(name, use) for name, use in files if _is_copy(use) and use.static_runtime]
    return frozenset(found for name, use in copies for found in _names(name, use))


def _is_copy(use: FileUse) -> bool:
    return use.provides is not None and use.provides.what.is_nvidias


def _names(name: str, use: FileUse) -> set[str]:
    return {name.rpartition("/")[2], use.soname} - {""}


def _is_builtins(name: str) -> bool:
    return name.rpartition("/")[2].startswith(BUILTINS)


def _wanted(use: FileUse, replaced: Collection[str]) -> set[str]:
    strings = {text for one in use.uses for text in one.strings}
    return set(use.needed) - set(replaced) | strings | set(use.unstubbed)


def _opened(use: FileUse, inside: Collection[str], table: Table) -> list[opened.Opened]:
    """The names that tie the file; a file that names a library of several CUDAs tries them and takes the installed
    one."""
    tied = [one for one in opened.find(use, table, inside) if one.kind is OpenedKind.TIED]
    stems = [one.name.partition(".so")[0] for one in tied]
    return [one for one, stem in zip(tied, stems) if stems.count(stem) == 1]
