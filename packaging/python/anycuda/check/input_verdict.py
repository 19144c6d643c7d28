# SPDX-License-Identifier: Apache-2.0
"""The verdict on a file or wheel with stubs in place: free of one CUDA, or tied to one, and by what. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from ..analysis import companions, opened, static_runtime, ties
from ..analysis.companions import Companion
from ..analysis.file_use import FileUse
from ..analysis.kernels import Needs
from ..analysis.libraries import Linking, Table
from ..analysis.opened import OpenedKind
from ..analysis.static_runtime import StaticRuntime
from ..analysis.ties import Files, Tie
from ..kind import Kind
from ..wheels.requirement import Requirement

_A_LOADER = 5  # functions; a file with fewer is a tool that intercepts some
_LINKED = (Linking.NAMED, Linking.RENAMED, Linking.STUB, Linking.UNNAMED)
# Served by the drop-ins that a repair adds, by the driver, by the wheel; and ties.
_REPORTED_ELSEWHERE = (OpenedKind.MAJOR, OpenedKind.COMMON, OpenedKind.INSIDE, OpenedKind.TIED)


class VerdictKind(Kind):
    """The first kind that applies to an input is its verdict. An own loader that only opens names ranks after a static
    runtime."""

    TIED = "tied"  # to one CUDA, by libraries without a stub
    CUDA_ITSELF = "cuda_itself"  # all its files are libraries of CUDA
    OWN_LOADER = "own_loader"  # it loads CUDA's libraries by itself
    STATIC = "static_runtime"  # a CUDA runtime is linked into it
    WITH = "free_with"  # free of one CUDA, as far as its companions are
    FREE = "free"
    NO_CUDA = "no_cuda"
    UNREADABLE = "unreadable"
    OTHER_SYSTEM = "not_for_linux"


@dataclass(frozen=True)
class Loaded:
    """A name that a file opens. `source`: the package that brings it, if known."""

    file: str
    library: str
    source: Companion | None = None


@dataclass(frozen=True)
class InputVerdict:
    """`loaders`: files that define functions of a CUDA library and load it. `loads`: names that it may open, served by
    neither a stub nor a drop-in. `companions`: packages with needed libraries other than CUDA's. `python`: the names
    that the wheel's Python files open or import. `kernels`: the needs of its device code."""

    kind: VerdictKind
    ties: tuple[Tie, ...] = ()
    static: tuple[StaticRuntime, ...] = ()
    loaders: tuple[str, ...] = ()
    loads: tuple[Loaded, ...] = ()
    companions: tuple[Companion, ...] = ()
    python: tuple[str, ...] = ()
    kernels: Needs | None = None

    @property
    def runtimes(self) -> dict[str, int]:
        """file -> the oldest branch for its static CUDA runtime, where that is known"""
        return static_runtime.drivers(self.static)

    @property
    def driver(self) -> str:
        """The oldest branch that all static runtimes work with."""
        return str(max(self.runtimes.values(), default=""))

    def failing(self, majors: Collection[str]) -> tuple[Tie, ...]:
        """The ties that at least one of these CUDA majors does not satisfy."""
        return tuple(tie for tie in self.ties if not tie.is_met_by(majors))


def evaluate(files: Files, inside: Collection[str], table: Table, requirements: Sequence[Requirement] = (),
             python: Iterable[str] = (), unreadable: bool = False, kernels: Needs | None = None,
             old_runtimes: Mapping[str, str] = MappingProxyType({})) -> InputVerdict:
    """`inside`: names under which files of the wheel are found. `unreadable`: a file could not be read.
    `old_runtimes`: file -> the driver for a static runtime of an unknown release, if its device code tells it."""
    staying = ties.staying(files)
    users = [(name, file) for name, file in staying if not opened.is_of_cuda(file, table)]
    verdict = InputVerdict(VerdictKind.NO_CUDA, tuple(ties.find(files, inside, table)),
                           static_runtime.find(ties.counted(files, table), table.drivers, old_runtimes),
                           tuple(name for name, file in users if _has_own_loader(file, table)),
                           tuple(_loads(users, inside, requirements, table)),
                           tuple(companions.find(users, inside, requirements, table)),
                           tuple(python), kernels)
    return replace(verdict, kind=_kind(verdict, staying, users, unreadable))


def for_other_system(verdict: InputVerdict) -> InputVerdict:
    """The verdict on a wheel for Windows or macOS, whose binaries are not read."""
    return replace(verdict, kind=VerdictKind.OTHER_SYSTEM) if verdict.kind in (
        VerdictKind.UNREADABLE, VerdictKind.NO_CUDA) else verdict


def _kind(verdict: InputVerdict, staying: Files, users: Files, unreadable: bool) -> VerdictKind:
    uses = [use for _, file in users for use in file.uses]
    linked = any(use.how in _LINKED for use in uses) or any(file.stubs_inside for _, file in users)
    if verdict.ties:
        return VerdictKind.TIED
    if staying and not users:
        return VerdictKind.CUDA_ITSELF
    if unreadable and not staying:
        return VerdictKind.UNREADABLE
    if verdict.loaders:
        return VerdictKind.OWN_LOADER
    if verdict.static:
        return VerdictKind.STATIC
    if verdict.loads and not linked:
        return VerdictKind.OWN_LOADER
    if verdict.companions:
        return VerdictKind.WITH
    return VerdictKind.FREE if linked or uses else VerdictKind.NO_CUDA


def _loads(files: Files, inside: Collection[str], requirements: Sequence[Requirement], table: Table
           ) -> Iterable[Loaded]:
    for name, file in files:
        for opened_ in opened.find(file, table, inside):
            is_driver = bool(opened_.library) and table.libraries[opened_.library].is_driver
            if opened_.kind not in _REPORTED_ELSEWHERE and not is_driver:
                source = None if opened_.library else companions.find_opened(opened_.name, requirements, table)
                yield Loaded(name, opened_.name, source)
        yield from (Loaded(name, use.needed) for use in file.uses if use.how is Linking.PEER and use.needed)


def _has_own_loader(file: FileUse, table: Table) -> bool:
    """Does it define functions of a library that it opens by name without linking it, or of the driver; or does it need
    another project's stub? A file with NCCL linked in also defines functions, but does not open the library."""
    counts = Counter(library.name for library in map(table.of_symbol, file.defines) if library)
    defined = {name for name, count in counts.items() if count >= _A_LOADER}
    opened_ = {use.library for use in file.uses if use.how is Linking.LOADED}
    linked = {use.library for use in file.uses if use.how in _LINKED}
    drivers = {name for name, library in table.libraries.items() if library.is_driver}  # no archive of them exists
    return any(use.how is Linking.PEER for use in file.uses) or bool(defined & (opened_ | drivers) - linked)
