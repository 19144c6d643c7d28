# SPDX-License-Identifier: Apache-2.0
"""The findings on each file, folder and wheel, and the exit status that follows from them."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..analysis import built_for, exit_status, gpus, inputs, kernels, reading, ties
from ..analysis.file_use import FileUse, Use
from ..analysis.kernels import Kernels, Needs, Reply
from ..analysis.libraries import Table
from ..analysis.ties import Tie
from ..matrix.data import Run, major_of
from . import driver_rule, input_verdict, requirements
from .cells import Asked, Cells, CodeFailure
from .driver_rule import TooOld
from .input_verdict import InputVerdict, VerdictKind


@dataclass
class File:
    """One binary, with the cells of all functions that stubs serve. `kept`: needed libraries that stay, without a
    stub in their place: copies, and the driver of a file that hooks it."""

    name: str
    machine: str
    use: FileUse
    cells: list[Run]
    verdict: InputVerdict = InputVerdict(VerdictKind.NO_CUDA)  # until evaluate()
    kept: frozenset[str] = frozenset()

    @property
    def served(self) -> tuple[Use, ...]:
        return tuple(use for use in self.use.uses if use.needed not in self.kept)


@dataclass(frozen=True)
class HereVerdict:
    """The answer to --here. `runs`: None if unknown. `reasons`: sentences."""

    runs: bool | None
    reasons: tuple[str, ...]

    @property
    def text(self) -> str:
        word = {True: "runs", False: "does not run", None: "cannot tell whether it runs"}[self.runs]
        return f"here: {word}. {' '.join(self.reasons)}".strip()


@dataclass
class Input:
    """A file, a wheel, or a folder without its wheels. `passed_over`: binaries that cannot use CUDA. `problems`: files
    that could not be read. Both hold (name, sentence). `other_system`: a wheel for Windows or macOS, which also counts
    as a problem. `texts`: facts from a wheel's METADATA and program texts. `drivers_needed`: the oldest driver branches
    for the device code and static CUDA runtime of a file, as (smallest, largest) over the files, since some wheels have
    a file for each CUDA; 0: none or unknown. `driver_bound`: it uses a library that needs a driver that is new enough
    for the library's CUDA."""

    path: str
    kind: str
    files: list[File] = field(default_factory=list)
    passed_over: list[tuple[str, str]] = field(default_factory=list)
    problems: list[tuple[str, str]] = field(default_factory=list)
    texts: requirements.Texts = field(default_factory=requirements.Texts)
    verdict: InputVerdict = InputVerdict(VerdictKind.NO_CUDA)  # until evaluate()
    kernels: Kernels = field(default_factory=Kernels)
    replies: list[Reply] = field(default_factory=list)
    drivers_needed: tuple[int, int] = (0, 0)
    here: HereVerdict | None = None
    other_system: bool = False
    driver_bound: bool = False

    @property
    def names_files(self) -> bool:
        """Does the report name the files of this input?"""
        return self.kind != "file"

    def cells(self) -> dict[Run, list[str]]:
        """The cells of all files: cell -> names of the files."""
        cells: dict[Run, list[str]] = {}
        for file in self.files:
            for run in file.cells:
                cells.setdefault(run, []).append(file.name)
        return cells

    def needed_from_outside(self) -> list[list[str]]:
        """For each file: the NVIDIA libraries without a stub that it needs from outside this input."""
        neighbours = {posixpath.basename(file.name) for file in self.files}
        return [[name for name in file.use.other if name not in neighbours] for file in self.files]

    def inside(self) -> frozenset[str]:
        """The names of a wheel's files, which these may open."""
        names = {name for file in self.files for name in (posixpath.basename(file.name), file.use.soname) if name}
        return frozenset(names if self.kind == "wheel" else ())

    def ties(self, asked: Asked) -> tuple[Tie, ...]:
        """The ties that fail: to a CUDA other than those checked. With --library none is reported."""
        if VerdictKind.TIED in asked.allowed or asked.libraries:
            return ()
        return self.verdict.failing({major_of(release) for release in asked.releases})

    def failing(self, asked: Asked) -> dict[Run, list[str]]:
        return {run: names for run, names in self.cells().items() if asked.fails(run)}

    def too_old_drivers(self, asked: Asked) -> tuple[TooOld, ...]:
        """The CUDA releases that do not run on a named driver, or only with cuda-compat if that is declared."""
        if not (self.driver_bound and asked.all_named_drivers):
            return ()
        return driver_rule.too_old(asked.releases, asked.all_named_drivers, gpus.facts())

    def refused_releases(self, asked: Asked) -> tuple[TooOld, ...]:
        return () if asked.forward_compat else self.too_old_drivers(asked)

    def is_open(self, asked: Asked) -> bool:
        """Does --runtime ask about device code whose answer is unknown?"""
        if not asked.runtimes or asked.branches or asked.libraries or CodeFailure.NOT_LOADED in asked.allowed:
            return False
        needs = self.verdict.kernels
        asks = asked.named_drivers or kernels.branches_of(asked.releases, gpus.facts())
        return bool(asks) and bool(self.kernels.unread or needs and needs.unknown)

    def late_drivers(self, asked: Asked) -> tuple[int, ...]:
        """The branches in --runtime on which the device code or static CUDA runtime does not run: each branch that is
        named, and all branches of a named CUDA if none of them works. --driver has a separate answer."""
        least, needed = self.drivers_needed
        if not needed or asked.libraries:
            return ()
        needed = least if CodeFailure.IN_PART in asked.allowed else needed
        if asked.named_drivers:
            return tuple(branch for branch in asked.named_drivers if branch < needed)
        if asked.branches or not asked.runtimes:
            return ()
        return kernels.branches_of(kernels.majors_before(needed, asked.releases, gpus.facts()), gpus.facts())

    def late_majors(self, asked: Asked) -> list[str]:
        """The checked CUDA majors whose drivers are all too old for the device code and static CUDA runtimes."""
        return kernels.majors_before(self.drivers_needed[0], asked.releases, gpus.facts())


def look_into(path: Path, cells: Cells, table: Table, progress: inputs.Progress) -> list[Input]:
    """The inputs for one path of the command line. A folder gives its files outside wheels, if it has any, and each
    wheel."""
    found = [look(one, cells, table, progress) for one in inputs.expanded(path)]
    first = found[0]
    return found if len(found) == 1 or first.files or first.passed_over or first.problems else found[1:]


def look(path: Path, cells: Cells, table: Table, progress: inputs.Progress) -> Input:
    seen = reading.look(path, table, progress, cells.asked.of_device_code)
    # `anycuda repair` writes the major of the other files into this one; it only takes wheels.
    known = built_for.majors(one for _, use in seen.files for one in use.uses) if seen.kind == "wheel" else {}
    others = {name: built_for.by_others(known, library, table) for name, library in table.libraries.items()}
    kept_copies = ties.copies_with_runtime(seen.files)
    files = [File(name, machine, use, [], kept=kept_copies.intersection(use.needed).union(use.hooked))
             for (name, use), machine in zip(seen.files, seen.machines)]
    for file in files:
        file.cells = cells.of_file(replace(file.use, uses=file.served), others)
    found = Input(seen.path, seen.kind, files, seen.passed_over, seen.problems, kernels=seen.kernels)
    found.other_system = seen.other_system
    if found.kind == "wheel":
        found.texts = requirements.look(path, seen.files, table)
    evaluate(found, table)
    found.driver_bound = _driver_bound(found, cells.asked, table)
    found.drivers_needed = _drivers_needed(found, cells.asked)
    found.replies = _replies(found, cells.asked)
    return found


def evaluate(input_: Input, table: Table) -> None:
    """Sets the verdicts on the input and its files."""
    files = [(file.name, file.use) for file in input_.files]
    inside = input_.texts.files | {name for file in input_.files
                                   for name in (posixpath.basename(file.name), file.use.soname) if name}
    old_runtimes = kernels.drivers_of_old_runtimes(input_.kernels.files, gpus.facts()) if input_.kernels.files else {}
    input_.verdict = input_verdict.evaluate(files, inside, table, input_.texts.requirements, input_.texts.python,
                                            bool(input_.problems), _needs(input_.kernels), old_runtimes)
    if input_.other_system:
        input_.verdict = input_verdict.for_other_system(input_.verdict)
    for file in input_.files:
        file.verdict = input_verdict.evaluate([(file.name, file.use)], inside, table, input_.texts.requirements,
                                              kernels=_needs(input_.kernels, file.name), old_runtimes=old_runtimes)


def _driver_bound(input_: Input, asked: Asked, table: Table) -> bool:
    """NCCL's and cuDNN's releases do not tell their CUDA. A tie is to a library of CUDA."""
    libraries = [table.libraries[name] for name in {run.library for run in input_.cells()}]
    tied = bool(input_.verdict.ties) and not asked.libraries
    return tied or any(library.driver_bound and not library.own_releases for library in libraries)


def _needs(code: Kernels, name: str = "") -> Needs | None:
    """The needs of one file, or of all files."""
    files = {file: codes for file, codes in code.files.items() if name in ("", file)}
    damaged = any(name in ("", file) for file in code.problems)
    return kernels.needs(files, gpus.facts(), damaged) if files or damaged else None


def _drivers_needed(input_: Input, asked: Asked) -> tuple[int, int]:
    drivers = input_.verdict.runtimes
    for name, codes in () if CodeFailure.NOT_LOADED in asked.allowed else input_.kernels.files.items():
        needs = kernels.needs({name: codes}, gpus.facts())
        drivers[name] = max(drivers.get(name, 0), needs.driver if needs else 0)
    needed = list(filter(None, drivers.values()))
    return min(needed, default=0), max(needed, default=0)


def _replies(input_: Input, asked: Asked) -> list[Reply]:
    if not (asked.gpus or asked.branches) or input_.problems and not input_.files and not input_.kernels.files:
        return []
    return [kernels.reply(input_.kernels, gpu, driver, input_.verdict.runtimes, gpus.facts())
            for driver in asked.branches or (0,) for gpu in asked.gpus or (0,)]


def status(inputs_: Sequence[Input], asked: Asked) -> int:
    answers: list[bool | None] = []
    for input_ in inputs_:
        answers += _answers(input_, asked)
    return exit_status.from_answers(answers, any(input_.problems for input_ in inputs_))


def _answers(input_: Input, asked: Asked) -> Iterator[bool | None]:
    """Whether it runs, as far as each question goes; None if unknown."""
    yield from (reply.loads for reply in input_.replies
                if not (reply.in_part and CodeFailure.IN_PART in asked.allowed))
    if input_.here:
        yield input_.here.runs
    if input_.is_open(asked):
        yield None
    if not asked.here and (  # the verdict of --here includes these
            input_.failing(asked) or input_.ties(asked) or input_.late_drivers(asked)
            or input_.refused_releases(asked)):
        yield False
