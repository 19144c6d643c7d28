# SPDX-License-Identifier: Apache-2.0
"""The outcome of a file's CUDA calls by installed release: the matrix's cells for its references."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from ..analysis.file_use import FileUse, Reference, Use
from ..analysis.libraries import Linking
from ..kind import Kind
from ..matrix.data import ANY_CALLER, Disposition, Library, Matrix, Run, major_of

UNCHECKED, UNKNOWN = Disposition.UNCHECKED, Disposition.UNKNOWN
WORKS = (Disposition.DIRECT, Disposition.RENAMED, Disposition.ADAPTED, Disposition.EMULATED)
FAILS = (Disposition.ABSENT, Disposition.REJECTED, UNCHECKED, UNKNOWN)


class CodeFailure(Kind):
    """How device code fails, beside the outcomes of calls."""

    NOT_LOADED = "device_code"  # it does not load
    IN_PART = "in_part"  # it loads in some files of a wheel only


@dataclass(frozen=True)
class Asked:
    """`releases` of CUDA, `drivers`, and `own` releases of libraries (nccl-2.28) to check. `built_for`: the caller's
    major for references without one. `libraries`: empty for all. Kinds in `allowed` and functions that match
    `ignored` (globs) are reported but do not fail. `gpus` (120 for sm_120): --gpu. `branches`: --driver. `runtimes`:
    --runtime. `here`: --here. `forward_compat`: ANYCUDA_DRIVER_COMPAT declares cuda-compat on the drivers."""

    releases: tuple[str, ...]
    drivers: tuple[str, ...]
    libraries: tuple[str, ...] = ()
    built_for: str = ""
    allowed: tuple[Kind, ...] = ()
    ignored: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    gpus: tuple[int, ...] = ()
    branches: tuple[int, ...] = ()
    runtimes: tuple[str, ...] = ()
    here: bool = False
    forward_compat: bool = False

    def wants(self, library: str) -> bool:
        return not self.libraries or library in self.libraries

    def releases_of(self, library: Library) -> tuple[str, ...]:
        """The releases of a library to check."""
        if library.is_driver:
            return self.drivers
        if library.own_releases:
            return tuple(release for release in self.own if release in library.runtimes)
        return self.releases

    @property
    def named_drivers(self) -> tuple[int, ...]:
        """The drivers that --runtime names."""
        return tuple(int(driver) for driver in self.drivers if driver in self.runtimes)

    @property
    def all_named_drivers(self) -> tuple[int, ...]:
        """The drivers that --driver and --runtime name, oldest first."""
        return tuple(sorted({*self.branches, *self.named_drivers}))

    @property
    def of_device_code(self) -> bool:
        """Does the command line ask only about device code and the driver?"""
        return bool(self.gpus or self.branches or self.here) and not self.runtimes

    def fails(self, run: Run) -> bool:
        return (run.kind in FAILS and run.kind not in self.allowed
                and not any(fnmatchcase(run.symbol, glob) for glob in self.ignored))


@dataclass
class Cells:
    """The cells of one matrix for one command line."""

    matrix: Matrix
    asked: Asked
    _runs_of: dict[str, dict[tuple[str, str], list[Run]]] = field(default_factory=dict)  # of the libraries in use

    def of_file(self, file: FileUse, others: Mapping[str, str]) -> list[Run]:
        """The distinct cells of a file, in the order of the matrix's libraries, functions and releases. `others`:
        library -> the major that neighbouring files record."""
        cells: dict[Run, None] = {}
        for library in self.matrix.libraries.values():
            for use in file.uses_of(library.name) if self.asked.wants(library.name) else ():
                for reference in use.symbols:
                    cells.update(dict.fromkeys(self._reference(library, use, reference, others)))
        return list(cells)

    def caller_of(self, use: Use, reference: Reference, others: Mapping[str, str]) -> str:
        """The major that the reference was built for; "" if unknown. References to a stub that was linked directly stay
        unversioned, whatever the stub's name suggests."""
        if reference.major or self.asked.built_for:
            return reference.major or self.asked.built_for
        if use.how is Linking.STUB:
            return ""
        return use.majors[0] if len(use.majors) == 1 else others.get(use.library, "")

    def _reference(self, library: Library, use: Use, reference: Reference, others: Mapping[str, str]) -> list[Run]:
        caller = ANY_CALLER if library.has_one_caller else self.caller_of(use, reference, others)
        releases = self.asked.releases_of(library)
        if caller:
            runs = [self._run(library, reference.name, caller, release) for release in releases]
        else:
            runs = [self._native(library, reference.name, release) for release in releases]
        return _joined(runs)

    def _run(self, library: Library, symbol: str, caller: str, release: str) -> Run:
        """The cell for one release."""
        if release not in library.runtimes:
            return _failing(library, symbol, caller, release, Disposition.ABSENT,
                            f"CUDA {major_of(release)} has no {library.product.split(' (')[0]}")
        for run in self._runs(library).get((symbol, caller), []):
            if release in run.runtimes:
                return run._replace(runtimes=(release,))
        return _failing(library, symbol, caller, release, UNKNOWN,
                        f"{library.stub} does not have this function for CUDA {caller}, so the file does not load")

    def _runs(self, library: Library) -> dict[tuple[str, str], list[Run]]:
        """The library's runs by function and caller."""
        if library.name not in self._runs_of:
            runs = self._runs_of[library.name] = {}
            for run in library.runs:
                runs.setdefault((run.symbol, run.caller), []).append(run)
        return self._runs_of[library.name]

    def _native(self, library: Library, symbol: str, release: str) -> Run:
        """An unversioned caller gets the installed function of that name, unadapted."""
        own = self._run(library, symbol, major_of(release), release)
        if own.kind in (UNKNOWN, Disposition.ABSENT):
            reason = f"CUDA {major_of(release)} has no function of that name" if own.kind is UNKNOWN else own.reason
            return _failing(library, symbol, "", release, Disposition.ABSENT, reason)
        others = [self._run(library, symbol, caller, release) for caller in library.callers
                  if (symbol, caller) in self._runs(library)]
        unlike = [run for run in others if run.kind is not Disposition.DIRECT]
        if not unlike:
            return own._replace(caller="")
        callers: dict[str, list[str]] = {}
        for run in unlike:
            callers.setdefault(run.kind, []).append(run.caller)
        wanted = ", ".join(f"{kind} if built for CUDA {' or '.join(majors)}" for kind, majors in callers.items())
        return _failing(library, symbol, "", release, UNCHECKED,
                        f"{wanted}; the file does not record for which CUDA it was built")


def _failing(library: Library, symbol: str, caller: str, release: str, kind: Disposition, reason: str) -> Run:
    return Run(library.name, symbol, caller, (release,), kind, "", "", (), "", "", reason)


def _joined(runs: list[Run]) -> list[Run]:
    """Merges neighbouring releases of one major with the same outcome, as the matrix does."""
    joined: list[Run] = []
    for run in runs:
        last = joined[-1] if joined else None
        if (last and last._replace(runtimes=()) == run._replace(runtimes=())
                and major_of(last.runtimes[0]) == major_of(run.runtimes[0])):
            joined[-1] = last._replace(runtimes=last.runtimes + run.runtimes)
        else:
            joined.append(run)
    return joined
