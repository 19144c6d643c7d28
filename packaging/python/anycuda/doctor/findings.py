# SPDX-License-Identifier: Apache-2.0
"""The findings, collected from the answers: one list of candidates per library, for all callers."""

from __future__ import annotations

from dataclasses import dataclass, field

from . import packages
from .outcomes import CandidateVerdict, FileState, SearchTier
from .questions import Outcome
from .records import Record, RecordKind

UNVERSIONED = "unversioned"  # a caller without symbol versions: by dlsym, ctypes, or linked to the stub directly


@dataclass
class Setting:
    name: str
    value: str
    understood: bool
    values: str  # its valid values; "" for a variable that anycuda does not read


@dataclass
class Gpu:
    name: str
    compute_capability: str
    memory: int  # bytes


@dataclass
class Call:
    name: str
    status: int
    error: str  # CUDA_ERROR_NO_DEVICE
    text: str


@dataclass
class Tried:
    """A refused file with the name of a driver. `size`: -1 if it is missing. `target`: the missing target of a link.
    `stays_open`: it was opened and cannot be closed, so the search ended there."""

    path: str
    state: FileState
    size: int
    reason: str
    target: str = ""
    stays_open: bool = False


@dataclass
class Driver:
    """`ended`: how the query failed. `problem`: why it cannot be used. `status`: the result of cuDriverGetVersion.
    `file`: the path with links resolved. `others`: likewise, of usable driver libraries that it hides."""

    path: str = ""
    cuda: str = ""
    branch: int = 0
    branch_problem: str = ""
    problem: str = ""
    calls: list[Call] = field(default_factory=list)
    gpus: list[Gpu] = field(default_factory=list)
    ended: str = ""
    last_step: str = ""
    file: str = ""
    status: int = 0
    tried: list[Tried] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    version: str = ""  # full, such as 595.58.03

    @property
    def failed_call(self) -> Call | None:
        return next((call for call in self.calls if call.status), None)

    @property
    def obstacle(self) -> str:
        """Why it offers no GPU, or ""."""
        failed = self.failed_call
        if self.ended:
            return f"the query of the driver ended without an answer ({self.ended})"
        if not self.path:
            return "no driver"
        if self.problem:
            return f"the driver does not work ({self.problem})"
        if failed is not None:
            return f"no GPU ({failed.name}: {failed.error or failed.status})"
        return "" if self.gpus else "no GPU (the driver works and sees none)"


@dataclass
class Decision:
    """The decision on a candidate for one caller. `driver`: how the driver supports it, "" if it was not asked.
    `tried`: the search tried to open it."""

    verdict: CandidateVerdict
    reason: str
    driver: str
    tried: bool
    taken: bool


@dataclass
class Candidate:
    path: str
    place: SearchTier
    state: FileState
    version: str
    exact: bool  # False: at least this version, from the names that it exports
    source: str  # the source of the version, and its file; or why the version is unknown
    source_file: str
    source_problem: str
    decisions: dict[str, Decision] = field(default_factory=dict)  # by caller
    stays_open: bool = False  # it was opened, refused and cannot be closed, so no other is opened
    target: str = ""  # the missing target of a dangling link
    release: str = ""  # the library's own, if it is not CUDA's: 2.18.1 of NCCL
    built_with: str = ""  # the CUDA in the text of NCCL's file, if no name tells it
    lacking: str = ""  # a missing file that the library opens at its first use


@dataclass
class Place:
    name: str
    title: str
    folders: int
    left_out: int = 0  # unusable files that are not listed, since there are too many
    searched: bool = True


@dataclass
class Answer:
    """The library that the stub loads for one caller. `path`: "" for none; `hint` then says what to do. `refused`: an
    invalid setting, with which the stub does not search."""

    path: str = ""
    version: str = ""
    refused: str = ""
    hint: str = ""
    ended: str = ""
    last_step: str = ""
    complaints: list[str] = field(default_factory=list)


@dataclass
class Library:
    name: str
    product: str
    stub: str
    variable: str
    is_driver: bool
    callers: list[str]
    places: list[Place] = field(default_factory=list)
    candidates: list[Candidate] = field(default_factory=list)
    answers: dict[str, Answer] = field(default_factory=dict)  # by caller
    install_hint: str = ""  # the stubs' hint on installing it

    @property
    def is_absent(self) -> bool:
        """Does the machine have no file of it?"""
        return not self.candidates and not any(answer.ended or answer.refused for answer in self.answers.values())

    @property
    def short(self) -> str:
        """NVRTC for "NVRTC (runtime compiler)". cuDNN is the product of two libraries."""
        return self.name if packages.is_of_another(self.name) else self.product.split(" (")[0]

    def sort(self) -> None:
        """Sorts candidates by the order of search, the newest first within a place."""
        order = list(dict.fromkeys(candidate.place for candidate in self.candidates))
        self.candidates.sort(key=lambda candidate: candidate.path)
        self.candidates.sort(key=lambda candidate: numbers(candidate.version), reverse=True)
        self.candidates.sort(key=lambda candidate: order.index(candidate.place))

    def taken_by(self, candidate: Candidate) -> list[str]:
        return [caller for caller, decision in candidate.decisions.items() if decision.taken]


@dataclass(frozen=True)
class GoneWheel:
    """An installed wheel of which libraries are missing. `file`: the first one, in `folder`. `count`: of all."""

    name: str
    version: str
    folder: str
    file: str
    count: int

    @property
    def path(self) -> str:
        return f"{self.folder}/{self.file}"

    def has(self, library: str) -> bool:
        return packages.is_wheel_of(self.name, library)


@dataclass
class Findings:
    """`requested`: the libraries that --library names; `used`: those that the files on the command line use."""

    libraries: list[Library]
    driver: Driver
    settings: list[Setting]
    requested: frozenset[str] = frozenset()
    used: frozenset[str] = frozenset()
    gone: list[GoneWheel] = field(default_factory=list)
    majors: str = ""  # the CUDA majors of the environment, if it has several
    mixed: str = ""  # likewise with their libraries, if none of them is complete

    @property
    def products(self) -> dict[str, str]:
        return {library.name: library.short for library in self.libraries}

    def gone_of(self, library: Library) -> GoneWheel | None:
        return next((wheel for wheel in self.gone if wheel.has(library.name)), None)

    def is_asked(self, library: Library) -> bool:
        return library.name in self.requested | self.used

    def library(self, name: str) -> Library | None:
        return next((library for library in self.libraries if library.name == name), None)

    def named(self, name: str) -> Library:
        """The library of that name, which must be among the questions."""
        return next(library for library in self.libraries if library.name == name)


def library_of(about: Record) -> Library:
    majors = about.text("majors").split()
    # The driver's functions have no versions, so there is one kind of caller.
    return Library(about.text("name"), about.text("product"), about.text("stub"), about.text("variable"),
                   about.flag("is_driver"), [*majors, UNVERSIONED], install_hint=about.text("install_hint"))


def setting_of(record: Record) -> Setting:
    return Setting(record.text("name"), record.text("value"), record.flag("understood"), record.text("values"))


def add_answer(library: Library, caller: str, outcome: Outcome) -> None:
    record = outcome.first(RecordKind.ANSWER)
    library.answers[caller] = Answer(
        record.text("path"), version_of(record), record.text("refused"), record.text("advice"),
        outcome.ended, outcome.last_step, outcome.complaints)
    if not library.places:
        library.places = [Place(place.text("name"), place.text("title"), place.number("folders"),
                                place.number("left_out"), place.flag("searched"))
                          for place in outcome.records_of(RecordKind.TIER)]
    candidates: dict[tuple[str, str], Candidate] = {(candidate.place, candidate.path): candidate
                                                    for candidate in library.candidates}
    for record in outcome.records_of(RecordKind.CANDIDATE):
        key = record.text("place"), record.text("path")
        if key not in candidates:
            candidates[key] = _candidate(record)
            library.candidates.append(candidates[key])
        candidate = candidates[key]
        if candidate.state is FileState.USABLE:  # the file may have been opened for only one of the callers
            candidate.state = FileState(record.text("state"))
        candidate.stays_open |= record.flag("stays_open")
        candidate.decisions[caller] = Decision(
            CandidateVerdict(record.text("verdict")), record.text("reason"), record.text("driver"),
            record.flag("tried"), record.flag("taken"))


def gone_of(outcome: Outcome) -> list[GoneWheel]:
    return [GoneWheel(wheel.text("name"), wheel.text("version"), wheel.text("folder"), wheel.text("file"),
                      wheel.number("count"))
            for wheel in outcome.records_of(RecordKind.GONE)]


def driver_of(outcome: Outcome) -> Driver:
    record, branch = outcome.first(RecordKind.DRIVER), outcome.first(RecordKind.BRANCH)
    calls = [Call(call.text("name"), call.number("status"), call.text("error"), call.text("text"))
             for call in outcome.records_of(RecordKind.CALL)]
    gpus = [Gpu(gpu.text("name"), f"{gpu.number('major')}.{gpu.number('minor')}", gpu.number("memory"))
            for gpu in outcome.records_of(RecordKind.GPU)]
    tried = [Tried(file.text("path"), FileState(file.text("state")), file.number("size"), file.text("reason"),
                   file.text("target"), file.flag("stays_open"))
             for file in outcome.records_of(RecordKind.TRIED)]
    return Driver(record.text("path"), version_of(record), branch.number("number"), branch.text("problem"),
                  record.text("problem"), calls, gpus, outcome.ended, outcome.last_step, record.text("file"),
                  record.number("status"), tried, version=branch.text("version"))


def numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".") if part]


def version_of(record: Record) -> str:
    """12.9; 12 if the minor is unknown; "" if the version is unknown."""
    major, minor = record.number("major"), record.number("minor")
    if major <= 0:
        return ""
    return f"{major}.{minor}" if minor >= 0 else str(major)


def _candidate(record: Record) -> Candidate:
    return Candidate(record.text("path"), SearchTier(record.text("place")), FileState(record.text("state")),
                     version_of(record), record.flag("exact"), record.text("source"), record.text("file"),
                     record.text("problem"), target=record.text("target"), lacking=record.text("lacking"))
