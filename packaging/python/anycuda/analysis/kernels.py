# SPDX-License-Identifier: Apache-2.0
"""The device code of an input: the driver it needs, the drivers that load it, and the answers to --gpu and --driver.
Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import groupby

from ..matrix.data import major_of
from . import code_rules
from .code_rules import Answer
from .device_code import Code, CodeKind, DeviceCode
from .gpus import Facts, Version

_FIRST_RECORDED = (11, 8)  # the first release that can be recognised in a static CUDA runtime
_NOTHING = Answer(True, "It has no device code.")
_MOST = 512  # kinds of device code in a file; NVIDIA's libraries have up to 100
Files = Mapping[str, Sequence[Code]]  # file -> its device code


@dataclass
class Kernels:
    """`files`: file -> its device code. `unread`: file -> why it could not be read. `problems`: file -> places that
    could not be read."""

    files: dict[str, tuple[Code, ...]] = field(default_factory=dict)
    unread: dict[str, str] = field(default_factory=dict)
    problems: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def add(self, name: str, code: DeviceCode) -> None:
        if len(code.codes) > _MOST:
            code = DeviceCode(unread=f"the file is damaged: it has more than {_MOST} kinds of device code")
        if code.codes:
            self.files[name] = code.codes
        if code.unread:
            self.unread[name] = code.unread
        if code.problems:
            self.problems[name] = code.problems

    def forget(self, names: Iterable[str]) -> None:
        for table in self.files, self.unread, self.problems:
            for name in names:
                table.pop(name, None)

    def __bool__(self) -> bool:
        """Is there any device code, readable or not?"""
        return bool(self.files or self.unread or self.problems)

    def for_json(self) -> dict[str, object]:
        return {
            "files": [{"name": name, "codes": [{**asdict(code), "name": code.name} for code in codes]}
                      for name, codes in self.files.items()],
            "unread": [{"file": name, "text": text} for name, text in self.unread.items()],
            "problems": [{"file": name, "texts": texts} for name, texts in self.problems.items()],
        }


@dataclass(frozen=True)
class Needs:
    """`driver`: the oldest branch for all files; 0: unknown. It loads the cubins of known CUDA releases and compiles
    the PTX of files without cubins. `least`: the oldest branch with which at least one file loads. `toolkits`: the
    releases that made the cubins. `ptx`: the PTX versions in files without cubins. `unknown`: some code may need a
    newer driver."""

    driver: int
    toolkits: tuple[str, ...] = ()
    ptx: tuple[str, ...] = ()
    unknown: bool = False
    least: int = 0


@dataclass(frozen=True)
class OnDrivers:
    """The outcome for an input's device code on consecutive driver branches. `cuda`: the newest major whose runtimes
    these support; 0: unknown. `compiled`: PTX that the driver compiles. The other fields are GPUs. `native`: all their
    cubins load. `fails`: a cubin for them does not load; `hint` says what to do. `unknown`: their cubins may or may not
    load. `in_part`: their cubins load in only some of the files. `some`: a cubin for a GPU in neither `native` nor
    `in_part` loads."""

    drivers: tuple[int, ...]
    cuda: int
    native: tuple[str, ...]
    compiled: tuple[str, ...]
    fails: tuple[str, ...]
    hint: str = ""
    unknown: tuple[str, ...] = ()
    some: bool = False
    in_part: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reply:
    """The answer to --gpu, --driver or both. `gpu`, `driver`: 0 if not given. `loads`: None if unknown. `in_part`: some
    files load, others do not. `reasons`: sentence -> the files that it is about; empty for all."""

    gpu: int
    driver: int
    loads: bool | None
    in_part: bool
    reasons: dict[str, list[str]]


def needs(files: Files, facts: Facts, damaged: bool = False) -> Needs | None:
    """The needs of these files; None if they have nothing that a driver loads. `damaged`: some device code could not be
    read."""
    drivers, unknown = [], damaged
    toolkits: set[Version] = set()
    ptx: set[Version] = set()
    for codes in files.values():
        kind = CodeKind.CUBIN if any(code.kind is CodeKind.CUBIN for code in codes) else CodeKind.PTX
        counted = [code for code in codes if code.kind is kind]
        if not counted:
            unknown = unknown or bool(code_rules.others(codes))
            continue
        drivers.append(code_rules.oldest_driver(counted, kind, facts))
        unknown = unknown or not code_rules.is_known(counted, kind, facts)
        toolkits.update(code_rules.toolkits(counted))
        ptx.update(code.ptx for code in counted if code.kind is CodeKind.PTX and code.ptx)
    if not drivers and not unknown:
        return None
    return Needs(max(drivers, default=0), _spelt(toolkits), _spelt(ptx), unknown,
                 min(filter(None, drivers), default=0))


def _spelt(versions: Iterable[tuple[int, int]]) -> tuple[str, ...]:
    return tuple(f"{major}.{minor}" for major, minor in sorted(versions))


def driver_of_old_runtime(codes: Sequence[Code], facts: Facts) -> int:
    """The driver for a CUDA runtime before 11.8 that is linked in with this code: the driver of the compiler that made
    the cubins. Without cubins, or with newer ones, it is that of CUDA 11, which serves all earlier CUDAs."""
    newest = max(code_rules.toolkits(codes), default=None)
    return facts.driver_for_cubin(newest if newest and newest < _FIRST_RECORDED else _FIRST_RECORDED)


def drivers_of_old_runtimes(files: Files, facts: Facts) -> dict[str, str]:
    return {name: str(driver_of_old_runtime(codes, facts)) for name, codes in files.items()}


def on_drivers(files: Files, branches: Sequence[int], facts: Facts) -> list[OnDrivers]:
    """The outcomes for `branches`, oldest first."""
    alike = _alike(files)
    each = [_on_driver(alike, branch, facts) for branch in branches] if files else []
    groups = (list(group) for _, group in groupby(each, key=lambda outcome: replace(outcome, drivers=(), hint="")))
    return [replace(group[-1], drivers=tuple(outcome.drivers[0] for outcome in group)) for group in groups]


def _alike(files: Files) -> list[tuple[Code, ...]]:
    """The distinct device code of the files: a wheel may have thousands of equal cubins."""
    return list(dict.fromkeys(tuple(dict.fromkeys(
        Code(code.kind, code.architecture, code.target, code.ptx, code.toolkit, compression=code.compression,
             concatenated=code.concatenated)
        for code in codes))
        for codes in files.values()))


def _on_driver(files: Sequence[Sequence[Code]], branch: int, facts: Facts) -> OnDrivers:
    every = [code for codes in files for code in codes]
    release = facts.cuda_of_driver(branch)
    each = {gpu: _of_gpu(files, branch, gpu, facts) for gpu in _targets(every)}
    in_part = [gpu for gpu, group in each.items() if {True, False} <= {answer.loads for answer in group}]
    answers = {gpu: min(group, key=lambda answer: (False, None, True).index(answer.loads))
               for gpu, group in each.items() if gpu not in in_part}
    compiled = [name for name in code_rules.jit(every) if all(
        code_rules.is_served(code, branch, facts) for code in every if code.kind is CodeKind.PTX and code.name == name)]
    native, fails, unknown = ({gpu: answer for gpu, answer in answers.items() if answer.loads is loads}
                              for loads in (True, False, None))
    listed = {*native, *in_part}
    some = any(code.kind is CodeKind.CUBIN and code.architecture not in listed
               and _knows(branch, code.architecture, facts) and code_rules.is_served(code, branch, facts)
               for code in every)
    return OnDrivers((branch,), release.cuda[0] if release else 0, _names(native), tuple(compiled), _names(fails),
                     next((answer.hint for gpu, answer in fails.items() if _knows(branch, gpu, facts)), ""),
                     _names(unknown), some, _names(in_part))


def why_unknown(files: Files, group: OnDrivers, facts: Facts) -> dict[str, list[str]]:
    """Why it is unknown whether the cubins for `group.unknown` load: cause -> files"""
    gpus = [gpu for gpu in _targets(code for codes in files.values() for code in codes) if f"sm_{gpu}" in group.unknown]
    causes: dict[str, list[str]] = {}
    for name, codes in files.items() if gpus else ():
        cubins = [code for code in codes if any(code_rules.runs_on(code, gpu, facts) for gpu in gpus)]
        for cause in code_rules.why_unknown(cubins, group.drivers[-1], facts):
            causes.setdefault(cause, []).append(name)
    return causes


def _names(gpus: Iterable[int]) -> tuple[str, ...]:
    return tuple(f"sm_{gpu}" for gpu in gpus)


def _targets(codes: Iterable[Code]) -> list[int]:
    return sorted({code.architecture for code in codes if code.kind is CodeKind.CUBIN and code.architecture})


def _of_gpu(files: Sequence[Sequence[Code]], branch: int, gpu: int, facts: Facts) -> list[Answer]:
    """The answer for each file with cubins for the GPU."""
    return [code_rules.loads(codes, branch, gpu, facts) for codes in files
            if any(code.kind is CodeKind.CUBIN and code_rules.runs_on(code, gpu, facts) for code in codes)]


def branches_of(releases: Iterable[str], facts: Facts) -> tuple[int, ...]:
    """The branches that came with releases of these CUDAs' majors, oldest first."""
    majors = {int(major_of(release)) for release in releases}
    return tuple(release.driver for release in facts.releases if release.cuda[0] in majors and release.driver)


def majors_before(needed: int, releases: Iterable[str], facts: Facts) -> list[str]:
    """The CUDA majors of these releases without a branch as new as `needed`."""
    newest = {major: branches_of([major], facts)[-1:] for major in dict.fromkeys(map(major_of, releases))}
    return [major for major, branch in newest.items() if branch and branch[0] < needed]


def uncovered(files: Files, facts: Facts) -> list[int]:
    """GPUs newer than the code's oldest one on which none of the code runs."""
    codes = [code for codes in files.values() for code in codes
             if code.kind in (CodeKind.CUBIN, CodeKind.PTX) and code.architecture]
    if not codes:
        return []
    first = min(code.architecture for code in codes)
    return [number for number, gpu in facts.gpus.items()
            if number > first and not gpu.tegra and gpu.example and not gpu.last
            and not any(code_rules.runs_on(code, number, facts) for code in codes)]


def reply(kernels: Kernels, gpu: int, driver: int, runtimes: Mapping[str, int], facts: Facts) -> Reply:
    """`runtimes`: file -> the oldest branch for its static CUDA runtime."""
    answers = {name: _answer(codes, gpu, driver, runtimes.get(name, 0), facts)
               for name, codes in kernels.files.items()}
    answers.update({name: Answer(None, f"Device code was not read: {why}.") for name, why in kernels.unread.items()})
    for name, problems in kernels.problems.items():
        if name not in answers or answers[name].loads:
            answers[name] = Answer(None, f"Device code was read in part: {problems[0]}.")
    for name, oldest in runtimes.items() if driver else ():
        if driver < oldest:
            answers[name] = Answer(False, f"Its static CUDA runtime needs driver {oldest} or newer.")
        answers.setdefault(name, _NOTHING)
    if not answers:
        answers[""] = _NOTHING
    reasons: dict[str, list[str]] = {}
    for name, answer in answers.items():
        reasons.setdefault(f"{answer.reason} {answer.hint}".strip(), []).append(name)
    results = {answer.loads for answer in answers.values()}
    loads = code_rules.all_true(results)
    return Reply(gpu, driver, loads, loads is False and True in results, reasons)


def _answer(codes: Sequence[Code], gpu: int, driver: int, runtime_driver: int, facts: Facts) -> Answer:
    if gpu and driver:
        return code_rules.loads(codes, driver, gpu, facts)
    return _any_driver(codes, gpu, runtime_driver, facts) if gpu else _any_gpu(codes, driver, facts)


def _any_driver(codes: Sequence[Code], gpu: int, runtime_driver: int, facts: Facts) -> Answer:
    branches = [release.driver for release in facts.releases if release.driver >= max(runtime_driver, 1)]
    answers = {branch: code_rules.loads(codes, branch, gpu, facts) for branch in branches}
    served = [branch for branch, answer in answers.items() if answer.loads]
    if not served:
        newest = [branch for branch in branches if _knows(branch, gpu, facts)] or branches
        return next((answer for answer in answers.values() if answer.loads is None), answers[newest[-1]])
    until = "" if served[-1] == branches[-1] else f" to {served[-1]}"
    return Answer(True, f"It loads with drivers from {served[0]}{until or ' on'}.")


def _any_gpu(codes: Sequence[Code], driver: int, facts: Facts) -> Answer:
    """The answer for the first GPU on which the code does not load. Only GPUs that the driver supports count: the
    code's own GPUs, or, without any, newer GPUs that its PTX may serve."""
    targets = _targets(codes) or sorted({code.architecture for code in codes if code.kind is CodeKind.PTX})
    supported = [gpu for gpu in targets if _knows(driver, gpu, facts)] or [
        gpu for gpu, entry in facts.gpus.items() if entry.example and not entry.tegra and _knows(driver, gpu, facts)
        and any(code_rules.runs_on(code, gpu, facts) for code in codes)]
    answers = {gpu: code_rules.loads(codes, driver, gpu, facts) for gpu in (*targets, *supported)}
    if not supported:
        return next(iter(answers.values()), Answer(None, "It has neither cubins nor PTX for a driver to load."))
    late = next((answers[gpu] for gpu in supported if not answers[gpu].loads), None)
    if late is not None:
        return late
    names, others = ", ".join(_names(supported)), _names(gpu for gpu in targets if gpu not in supported)
    without = f"; the driver does not support {', '.join(others)}" if others else ""
    return Answer(True, f"Driver {driver} loads its code for {names}{without}.")


def _knows(driver: int, gpu: int, facts: Facts) -> bool:
    return code_rules.unsupported(driver, gpu, facts) is None
