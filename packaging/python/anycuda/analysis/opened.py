# SPDX-License-Identifier: Apache-2.0
"""The names of NVIDIA's libraries that a file may pass to dlopen, and the names that a drop-in serves. Pure."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from .file_use import FileUse, Use
from .libraries import Library, Table

_LIBRARIES = ("original", "renamed", "stub", "dropin", "peer")
_RUNTIME_AND_DRIVER = ("cudart", "cuda")
# NVIDIA's cudnn-frontend and TransformerEngine try the names of several majors, and some releases fail if two of them
# can be opened (github.com/NVIDIA/cudnn-frontend/issues/211).
_TRIED = ("cudart", "nvrtc")

WHO_SERVES = {
    "major": "`anycuda run` serves it with a drop-in, and `anycuda repair` puts the drop-in into a wheel",
    "tried": "the file tries several majors and takes what is installed; `anycuda run` serves each with a drop-in",
    "inside": "the wheel brings a file of that name",
    "common": "the name is the same for every CUDA; `anycuda run` serves it with a drop-in",
    "unnumbered": "every drop-in has a number in its name, so this opens NVIDIA's library",
    "unfinished": "the program completes the name at run time; `anycuda run` serves it if a drop-in has that name",
    "unknown": "no drop-in has this name, so this opens NVIDIA's library",
    "path": "the name is part of a path, so dlopen opens the file at this path, not a drop-in",
    "tied": "anycuda has no stub for it, so this opens NVIDIA's library, which belongs to one CUDA major only",
    "unstubbed": "anycuda has no stub for it, so this opens NVIDIA's library",
}


@dataclass(frozen=True)
class Opened:
    """`kind`:  "major"       a SONAME of one CUDA: libcublas.so.12
                "tried"       such a name of the runtime or NVRTC, next to one of another major
                "inside"      such a name of a file that the wheel brings
                "common"      a SONAME that is the same for every CUDA: libnccl.so.2
                "unnumbered"  libcublas.so
                "unfinished"  libcudart.so.%d, or the start of a name: libcudart.so.
                "unknown"     a number without a drop-in: libcublas.so.10
                "path"        the end of a path
                "tied"        a library without a stub, of one CUDA: libnppc.so.12
                "unstubbed"   any other library without a stub: libcusparseLt.so.0, libcupti.so
    `library` is "" if it has no stub."""

    name: str
    library: str
    kind: str

    @property
    def by_run(self) -> bool | None:
        """Does `anycuda run` serve it? None: it depends on how the program completes the name, or on whether it finds
        the wheel's file first."""
        return None if self.kind in ("unfinished", "inside") else self.kind in ("major", "tried", "common")

    @property
    def by_repair(self) -> bool:
        return self.kind == "major"


def of(use: FileUse, table: Table, inside: Collection[str] = ()) -> tuple[Opened, ...]:
    """The names that a file may open. `inside`: names of the files of its wheel. Names that a library of CUDA or a
    static CUDA runtime opens do not count, since these work with libraries of the same CUDA."""
    if is_of_cuda(use, table):
        return ()
    return tuple(found for one in use.uses if one.how == "loaded" and not (
                     use.static_runtime and one.library in _RUNTIME_AND_DRIVER)
                 for found in _of(one, table.libraries[one.library], inside)) + tuple(
                     Opened(name, "", _kind_unstubbed(name, table, inside)) for name in use.unstubbed)


def is_of_cuda(use: FileUse, table: Table) -> bool:
    """Is the file a library of CUDA or a stub of one?"""
    return use.provides is not None and use.provides.what in _LIBRARIES or table.is_of_cuda(use.soname)


def _of(use: Use, library: Library, inside: Collection[str]) -> list[Opened]:
    found = [Opened(name, library.name, _kind(name, library, name in use.by_path, inside)) for name in use.strings]
    if library.name in _TRIED and sum(one.kind in ("major", "inside") for one in found) > 1:
        found = [replace(one, kind="tried") if one.kind == "major" else one for one in found]
    return found


def _kind_unstubbed(name: str, table: Table, inside: Collection[str]) -> str:
    if name in inside:
        return "inside"
    return "tied" if table.ties_to_cuda(name) else "unstubbed"


def _kind(name: str, library: Library, by_path: bool, inside: Collection[str]) -> str:
    if by_path:
        return "path"
    if name == library.file_prefix:
        return "unnumbered"
    if "%" in name or name.endswith("."):
        return "unfinished"
    if all(name != major.soname for major in library.majors.values()):
        return "unknown"
    if not library.names_tell_major:
        return "common"
    return "inside" if name in inside else "major"
