# SPDX-License-Identifier: Apache-2.0
"""The names of NVIDIA's libraries that a file may pass to dlopen, and the names that a drop-in serves. Pure."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from ..kind import Kind
from .file_use import FileUse, Use
from .libraries import Library, Linking, Table

_RUNTIME_AND_DRIVER = ("cudart", "cuda")
# NVIDIA's cudnn-frontend and TransformerEngine try the names of several majors, and some releases fail if two of them
# can be opened (github.com/NVIDIA/cudnn-frontend/issues/211).
_TRIED = ("cudart", "nvrtc")


class OpenedKind(Kind):
    """What a name is, which decides what dlopen finds."""

    MAJOR = "major"  # a SONAME of one CUDA: libcublas.so.12
    TRIED = "tried"  # such a name of the runtime or NVRTC, next to one of another major
    INSIDE = "inside"  # such a name of a file that the wheel brings
    COMMON = "common"  # a SONAME that is the same for every CUDA: libnccl.so.2
    UNNUMBERED = "unnumbered"  # libcublas.so
    UNFINISHED = "unfinished"  # libcudart.so.%d, or the start of a name: libcudart.so.
    UNKNOWN = "unknown"  # a number without a drop-in: libcublas.so.10
    PATH = "path"  # the end of a path
    TIED = "tied"  # a library without a stub, of one CUDA: libnppc.so.12
    UNSTUBBED = "unstubbed"  # any other library without a stub: libcusparseLt.so.0, libcupti.so


WHO_SERVES = {
    OpenedKind.MAJOR: "`anycuda run` serves it with a drop-in, and `anycuda repair` puts the drop-in into a wheel",
    OpenedKind.TRIED: ("the file tries several majors and takes what is installed; `anycuda run` serves each with a "
                       "drop-in"),
    OpenedKind.INSIDE: "the wheel brings a file of that name",
    OpenedKind.COMMON: "the name is the same for every CUDA; `anycuda run` serves it with a drop-in",
    OpenedKind.UNNUMBERED: "every drop-in has a number in its name, so this opens NVIDIA's library",
    OpenedKind.UNFINISHED: ("the program completes the name at run time; `anycuda run` serves it if a drop-in has that "
                            "name"),
    OpenedKind.UNKNOWN: "no drop-in has this name, so this opens NVIDIA's library",
    OpenedKind.PATH: "the name is part of a path, so dlopen opens the file at this path, not a drop-in",
    OpenedKind.TIED: "anycuda has no stub for it, so this opens NVIDIA's library, which belongs to one CUDA major only",
    OpenedKind.UNSTUBBED: "anycuda has no stub for it, so this opens NVIDIA's library",
}


@dataclass(frozen=True)
class Opened:
    """`library`: "" if it has no stub."""

    name: str
    library: str
    kind: OpenedKind

    @property
    def by_run(self) -> bool | None:
        """Does `anycuda run` serve it? None: it depends on how the program completes the name, or on whether it finds
        the wheel's file first."""
        if self.kind in (OpenedKind.UNFINISHED, OpenedKind.INSIDE):
            return None
        return self.kind in (OpenedKind.MAJOR, OpenedKind.TRIED, OpenedKind.COMMON)

    @property
    def by_repair(self) -> bool:
        return self.kind is OpenedKind.MAJOR


def find(file: FileUse, table: Table, inside: Collection[str] = ()) -> tuple[Opened, ...]:
    """The names that a file may open. `inside`: names of the files of its wheel. Names that a library of CUDA or a
    static CUDA runtime opens do not count, since these work with libraries of the same CUDA."""
    if is_of_cuda(file, table):
        return ()
    uses = [use for use in file.uses if use.how is Linking.LOADED and not (
        file.static_runtime and use.library in _RUNTIME_AND_DRIVER)]
    return (*(opened for use in uses for opened in _opened(use, table.libraries[use.library], inside)),
            *(Opened(name, "", _kind_unstubbed(name, table, inside)) for name in file.unstubbed))


def is_of_cuda(file: FileUse, table: Table) -> bool:
    """Is the file a library of CUDA or a stub of one?"""
    return file.is_library or table.is_of_cuda(file.soname)


def _opened(use: Use, library: Library, inside: Collection[str]) -> list[Opened]:
    kinds = {name: _kind(name, library, name in use.by_path, inside) for name in use.strings}
    if library.name in _TRIED and sum(kind in (OpenedKind.MAJOR, OpenedKind.INSIDE) for kind in kinds.values()) > 1:
        kinds = {name: OpenedKind.TRIED if kind is OpenedKind.MAJOR else kind for name, kind in kinds.items()}
    return [Opened(name, library.name, kind) for name, kind in kinds.items()]


def _kind_unstubbed(name: str, table: Table, inside: Collection[str]) -> OpenedKind:
    if name in inside:
        return OpenedKind.INSIDE
    return OpenedKind.TIED if table.ties_to_cuda(name) else OpenedKind.UNSTUBBED


def _kind(name: str, library: Library, by_path: bool, inside: Collection[str]) -> OpenedKind:
    if by_path:
        return OpenedKind.PATH
    if name == library.file_prefix:
        return OpenedKind.UNNUMBERED
    if "%" in name or name.endswith("."):
        return OpenedKind.UNFINISHED
    if all(name != major.soname for major in library.majors.values()):
        return OpenedKind.UNKNOWN
    if not library.names_tell_major:
        return OpenedKind.COMMON
    return OpenedKind.INSIDE if name in inside else OpenedKind.MAJOR
