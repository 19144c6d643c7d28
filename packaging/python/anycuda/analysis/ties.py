# SPDX-License-Identifier: Apache-2.0
"""What ties the files of a wheel to one CUDA where stubs are in place: names that no stub stands for. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from . import opened
from .libraries import Table
from .uses import FileUse

NEEDS, OPENS = "needs", "opens"
BUILTINS = "libnvrtc-builtins"  # which NVRTC opens itself; the stub of NVRTC stands for both
_NVRTC = ("libnvrtc.", "libnvrtc-")  # under its own name, and as a bundled copy
COPIES = ("original", "renamed")  # NVIDIA's library in a wheel, under its own name or another
Files = Sequence["tuple[str, FileUse]"]  # (name, use)


@dataclass(frozen=True)
class Tie:
    """`library`: the name that the file asks for. `how`: "needs" (DT_NEEDED) or "opens" (dlopen). `cuda`: the CUDA of
    that name, "" where the name has a number of another kind (libcudnn.so.7)."""

    file: str
    library: str
    how: str
    cuda: str

    def is_met_by(self, majors: Collection[str]) -> bool:
        """Is its library a part of every one of these CUDAs?"""
        return bool(self.cuda) and set(majors) <= set(self.cuda.split(" or "))


def of(files: Files, inside: Collection[str], table: Table) -> list[Tie]:
    """Of the files that a repair leaves in the wheel, if any of them is not CUDA itself, which belongs to its CUDA.
    `inside`: names under which files of the wheel are found."""
    found = []
    for name, use in counted(files, table):
        asked = [*((one, NEEDS) for one in outside(use, inside)),
                 *((one.name, OPENS) for one in _opened(use, inside, table))]
        for library, how in asked:
            cuda = table.cuda_of(library)
            if cuda is not None:
                found.append(Tie(name, library, how, cuda))
    return found


def counted(files: Files, table: Table) -> list[tuple[str, FileUse]]:
    left = staying(files)
    return [] if all(opened.is_of_cuda(use, table) for _, use in left) else left


def outside(use: FileUse, inside: Collection[str]) -> list[str]:
    """What it needs from outside of the wheel, with stubs in place."""
    replaced = replaced_in(use)
    return [one for one in use.needed if one not in replaced and one not in inside]


def replaced_in(use: FileUse) -> set[str]:
    """The entries of DT_NEEDED that become stubs. A library of CUDA itself keeps its own."""
    if use.is_library:
        return set()
    stubbed = [one for one in use.uses if one.needed and one.how in ("named", "renamed", "stub")]
    found = {one.needed for one in stubbed if one.needed}
    if any(one.library == "nvrtc" for one in stubbed):
        found |= {one for one in use.needed if one.startswith(BUILTINS)}
    return found


def staying(files: Files) -> list[tuple[str, FileUse]]:
    """Without the copies of CUDA's libraries that nothing needs once stubs stand for them."""
    leaves = leaving(files, {name: replaced_in(use) for name, use in files})
    return [(name, use) for name, use in files if not leaves.get(name)]


def leaving(files: Files, replaced: Mapping[str, Collection[str]], stubs: Collection[str] = (),
            opens: Mapping[str, Collection[str]] = MappingProxyType({}), named: Collection[str] = ()
            ) -> dict[str, bool]:
    """The copies of CUDA's libraries, and those of `stubs`, that files of a wheel needed: does each leave it, since
    none of the files that stay needs or opens it any more? `replaced`: file -> the entries of its DT_NEEDED that become
    stubs. `opens`: file -> what it opens beside the names in its use. `named`: files that stay since a text names
    them."""
    names = {name: _names(name, use) for name, use in files}
    wanted = {name: _wanted(use, replaced.get(name, ())) | set(opens.get(name, ())) for name, use in files}
    old = {need for needs in replaced.values() for need in needs}
    has_nvrtc = any(need.startswith(_NVRTC) for need in old)
    found = {name: name not in named for name, use in files
             if (_is_copy(use) and not use.static_runtime or name in stubs) and names[name] & old
             or _is_builtins(name) and has_nvrtc}
    while True:  # what stays may need what was to leave
        still = {need for name, needs in wanted.items() if not found.get(name) for need in needs}
        kept = [name for name, leaves in found.items() if leaves and names[name] & still]
        if not kept:
            return found
        found.update(dict.fromkeys(kept, False))


def standing(files: Files) -> frozenset[str]:
    """The names of the copies that have a CUDA runtime linked into them: they run wherever the driver is new enough, on
    a machine without CUDA too, and what needs them goes on needing them. A stub in their place would need a library
    that may be missing."""
    copies = [(name, use) for name, use in files if _is_copy(use) and use.static_runtime]
    return frozenset(found for name, use in copies for found in _names(name, use))


def _is_copy(use: FileUse) -> bool:
    return use.provides is not None and use.provides.what in COPIES


def _names(name: str, use: FileUse) -> set[str]:
    return {name.rpartition("/")[2], use.soname} - {""}


def _is_builtins(name: str) -> bool:
    return name.rpartition("/")[2].startswith(BUILTINS)


def _wanted(use: FileUse, replaced: Collection[str]) -> set[str]:
    strings = {text for one in use.uses for text in one.strings}
    return set(use.needed) - set(replaced) | strings | set(use.unstubbed)


def _opened(use: FileUse, inside: Collection[str], table: Table) -> list[opened.Opened]:
    """A file that names a library of several CUDAs tries them, and takes what is installed."""
    tied = [one for one in opened.of(use, table, inside) if one.kind == "tied"]
    stems = [one.name.partition(".so")[0] for one in tied]
    return [one for one, stem in zip(tied, stems) if stems.count(stem) == 1]
