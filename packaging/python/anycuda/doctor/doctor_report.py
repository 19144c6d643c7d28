# SPDX-License-Identifier: Apache-2.0
"""The report as text."""

from __future__ import annotations

from collections import Counter

from ..analysis import describe_kernels, exit_status, gpus
from . import containers
from .describe_candidate import colours, condition_of, for_callers, source_of, verdict_of, version_of
from .files import File
from .findings import UNVERSIONED, Answer, Candidate, Driver, Findings, Library, Place
from .hint import Hint
from .machine import AskedAs, Machine
from .outcomes import FileState, column
from .page import INDENT, Page
from .verdict import DRIVER_LIBRARY, Verdict

_MARK = ">"
_BESIDE_FILE = 56  # characters of the other columns in a line of candidates


def report(version: str, machine: Machine, findings: Findings, verdict: Verdict, hints: list[Hint],
           page: Page, verbose: bool = False) -> str:
    """The examined environment, the verdict and the first hint begin in the first three lines of a terminal, whatever
    its width. `verbose`: every file of every library."""
    page.line(page.fit(f"anycuda {version} doctor: {_examined(machine, page)}"), "bold")
    page.line(page.fit(verdict.line), "green" if verdict.status == exit_status.YES else "red")
    _hints(hints, page)
    if page.fit(verdict.line) != verdict.line:
        page.head("Verdict")
        page.sentence(verdict.line)
    _machine(findings.driver, machine, page)
    _settings(findings, page)
    _libraries(findings, page)
    for library in findings.libraries:
        if verbose or library.name in findings.requested or _needs_a_table(library):
            _library(library, findings.driver, verbose, page)
    if verbose:
        _matrix(findings, page)
    for file in verdict.files:
        _file(file, page)
    return "\n".join(page.lines)


def _examined(machine: Machine, page: Page) -> str:
    if machine.asked_as is not AskedAs.PYTHON:
        named = [f"{name}={machine.variables[name]}" for name in ("VIRTUAL_ENV", "CONDA_PREFIX")
                 if machine.variables.get(name)]
        return ", ".join(["a program other than Python", *named[:1]])
    note = f" ({machine.note})" if machine.note else ""
    return f"Python {machine.python}, {page.path(machine.executable, 45)}{note}"


def _settings(findings: Findings, page: Page) -> None:
    if not findings.settings:
        return
    page.head("Settings")
    page.pairs([
        (f"{setting.name}={setting.value}",
         "" if setting.understood else
         f"invalid: expected {setting.values}" if setting.values else "anycuda has no such setting")
        for setting in findings.settings
    ])


def _machine(driver: Driver, machine: Machine, page: Page) -> None:
    page.head("Machine")
    rows = [("system", f"{machine.system}, {machine.kernel}, {machine.libc}")]
    within = [containers.about(machine.container_kind).name] if machine.container else []
    if machine.wsl or within:
        rows.append(("within", ", ".join([*within, "WSL"] if machine.wsl else within)))
    if machine.unused_base:
        rows.append(("not used", f"conda's activated base, {machine.unused_base}: it is another Python's"))
    rows.append(("driver", page.path(driver.path) or "none"))
    if driver.cuda:
        rows.append(("CUDA", f"up to {driver.cuda}"))
        version = f" (version {driver.version})" if driver.version else ""
        rows.append(("branch", f"{driver.branch}{version}" if driver.branch else f"unknown: {driver.branch_problem}"))
    unknown = f"unknown: {machine.ended}" if machine.ended else "not loaded"
    rows.append(("kernel module", machine.kernel_driver or unknown))
    gpus = Counter(f"{gpu.name}, compute capability {gpu.compute_capability}, {gpu.memory / 2**30:.0f} GiB"
                   for gpu in driver.gpus)
    rows += [("GPU", text if count == 1 else f"{count} x {text}") for text, count in gpus.items()]
    if not driver.gpus:
        rows.append(("GPU", f"none{_why_no_gpu(driver)}"))
        rows += [("built in", ", ".join(filter(None, [gpu.name or "an NVIDIA GPU", gpu.address,
                                                      gpu.driver and f"driven by {gpu.driver}"])))
                 for gpu in machine.present_gpus]
    page.pairs(rows)


def _why_no_gpu(driver: Driver) -> str:
    failed = driver.failed_call
    if driver.ended:
        return f": {driver.ended}"
    if failed is not None:
        detail = f" ({failed.text})" if failed.text else ""
        return f": {failed.name} returns {failed.error or failed.status}{detail}"
    return f": {driver.problem}" if driver.problem and driver.path else ""


def _libraries(findings: Findings, page: Page) -> None:
    """A line for each library that programs get; the absent ones in one line."""
    page.head("Libraries that programs get")
    rows: list[tuple[str, ...]] = []
    conditions: dict[str, list[str]] = {}
    for library in findings.libraries:
        if library.is_driver and library.name == DRIVER_LIBRARY:  # its line is the machine's
            continue
        for candidate in filter(library.taken_by, library.candidates):
            callers = library.taken_by(candidate)
            for_whom = "" if len(callers) == len(library.answers) else for_callers(callers)
            version, source = ("", "") if library.is_driver else (version_of(candidate), source_of(candidate))
            rows.append((_name(library, candidate), version, for_whom, source, _where(candidate, library),
                         page.path(candidate.path, _BESIDE_FILE)))
            conditions.setdefault(condition_of(candidate, findings.driver), []).append(library.short)
        for word, for_whom in _without(library):
            rows.append((library.short, word, for_whom, "", "", ""))
    if rows:
        page.table(["", "CUDA", "", "read from", "where", "file"], rows, {"nothing": "red", "crash": "red"})
    for condition, names in conditions.items():
        if condition:
            page.sentence(f"{', '.join(dict.fromkeys(names))}: {condition}")
    if findings.majors:
        page.sentence(f"{findings.majors}; a process uses one of them")
    absent = [library.short for library in findings.libraries if library.is_absent]
    if absent:
        page.sentence(f"absent: {', '.join(absent)}")


def _name(library: Library, candidate: Candidate) -> str:
    return f"{library.short} {candidate.release}".rstrip()


def _without(library: Library) -> list[tuple[str, str]]:
    """The callers that get nothing although the machine has files of the library: what they get, and who they are."""
    callers: dict[str, list[str]] = {}
    for caller, answer in library.answers.items():
        if not answer.path and not library.is_absent:
            callers.setdefault(_got(answer, library, Driver()), []).append(caller)
    return [(word, "" if len(some) == len(library.answers) else for_callers(some)) for word, some in callers.items()]


def _needs_a_table(library: Library) -> bool:
    """Does something else than a usable file need an explanation?"""
    return not library.is_absent and (
        any(not answer.path for answer in library.answers.values())
        or any(candidate.lacking or candidate.state not in (FileState.USABLE, FileState.LINK_STUB)
               for candidate in library.candidates))


def _where(candidate: Candidate, library: Library) -> str:
    return column("tier", "place").get(candidate.place, library.variable)


def _library(library: Library, driver: Driver, verbose: bool, page: Page) -> None:
    page.head(f"{library.product}, {library.stub}")
    ended = {answer.ended: answer for answer in library.answers.values() if answer.ended}
    for answer in ended.values():
        page.sentence(f"{answer.ended}; last step: {answer.last_step or 'none'}")
    if not library.candidates:
        if not ended:
            page.sentence(f"none was found; searched: {_places(library)}" if verbose else "none was found")
        return
    rows, below = [], []
    for candidate in library.candidates:
        word, why = verdict_of(candidate)
        version, source = ("", "") if library.is_driver else (version_of(candidate), source_of(candidate))
        rows.append((_MARK if library.taken_by(candidate) else " ", candidate.release, version, source, word,
                     _where(candidate, library), page.path(candidate.path, _BESIDE_FILE)))
        # All reasons against a candidate name the same driver.
        why = why.replace(driver.path, page.path(driver.path)) if driver.path else why
        below.append("; ".join(filter(None, [why, condition_of(candidate, driver), _conflict(candidate)])))
    page.table(["", "version", "CUDA", "read from", "verdict", "where", "file"], rows, colours(), below)


def _conflict(candidate: Candidate) -> str:
    """A note on sources that contradict the version; an unknown version is common, and the table shows it."""
    differs = candidate.source and not candidate.exact
    return f"its version: {candidate.source_problem}" if differs else ""


def _places(library: Library) -> str:
    def described(place: Place) -> str:
        counts = [(place.folders, f"{place.folders} folder{'' if place.folders == 1 else 's'}"),
                  (place.left_out, f"{place.left_out} unusable file{'' if place.left_out == 1 else 's'} not listed")]
        below = ", ".join(text for count, text in counts if count)
        return f"{place.title} ({below})" if below else place.title
    return ", ".join(described(place) for place in library.places if place.searched and place.folders) or "nothing"


def _matrix(findings: Findings, page: Page) -> None:
    callers = list(dict.fromkeys(caller for library in findings.libraries for caller in library.answers))
    callers.sort(key=lambda caller: (not caller.isdigit(), caller))
    page.head("The version that a program gets, by the CUDA that it was built for")
    rows = []
    for library in findings.libraries:
        # The driver's functions are the same for all callers.
        answers = [library.answers.get(UNVERSIONED if library.is_driver else caller) for caller in callers]
        rows.append((library.short, *(_got(answer, library, findings.driver) for answer in answers)))
    heads = ["", *("unversioned" if caller == UNVERSIONED else f"CUDA {caller}" for caller in callers)]
    page.table(heads, rows, {"nothing": "red", "crash": "red"})


def _got(answer: Answer | None, library: Library, driver: Driver) -> str:
    if answer is None:
        return "-"
    if answer.ended:
        return "crash" if answer.ended.startswith("crash") else "no answer"
    if not answer.path:
        return "nothing"
    if library.is_driver:
        return f"for CUDA {driver.cuda}" if driver.cuda else "the driver's"
    return answer.version


def _file(file: File, page: Page) -> None:
    page.head(f"Device code of {page.path(file.path)}")
    for name, text in file.problems:
        page.sentence(f"{name}: {text}")
    facts = gpus.facts() if file.kernels.files else None
    for line in describe_kernels.lines(file.kernels, facts, file.of_several):
        page.sentence(line)
    words_of = describe_kernels.reply if file.kernels else describe_kernels.reasons_of
    for text in dict.fromkeys(words_of(reply, file.of_several) for reply in file.replies):
        page.sentence(text)


def _hints(hints: list[Hint], page: Page) -> None:
    for number, hint in enumerate(hints, 1):
        page.pairs([(f"{number}.", f"{hint.why} {hint.what}")])
        for command in hint.commands:
            page.line(f"{INDENT * 4}$ {command}")
