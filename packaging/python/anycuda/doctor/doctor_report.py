# SPDX-License-Identifier: Apache-2.0
"""The report as text."""

from __future__ import annotations

from collections.abc import Sequence

from .. import terminal
from ..analysis import describe_kernels, exit_status, gpus
from .describe_candidate import CONTAINERS, colours, condition_of, short_path, source_of, verdict_of, version_of
from .files import File
from .findings import UNVERSIONED, Answer, Candidate, Driver, Findings, Library, Place
from .hint import Hint
from .machine import Machine
from .outcomes import column
from .verdict import Verdict

_MARK = ">"
_INDENT = "  "
_BESIDE_FILE = 56  # characters of the other columns in a line of candidates


class Page:
    """The lines of a report. `colour`: use colours. `width`: the terminal's width, or None for unwrapped lines. Escapes
    control characters in file names."""

    def __init__(self, colour: bool, width: int | None) -> None:
        self.colour, self.width = colour, width
        self.lines: list[str] = []

    def paint(self, text: str, colour: str) -> str:
        return terminal.paint(text, colour, self.colour)

    def head(self, text: str) -> None:
        self.lines += [""] if self.lines else []
        self.line(text, "bold")

    def line(self, text: str, colour: str = "") -> None:
        self.lines.append(self.paint(terminal.writable(text), colour))

    def sentence(self, text: str) -> None:
        self.lines += self._table([""], [(text,)], None, None)[1:]

    def pairs(self, rows: list[tuple[str, str]]) -> None:
        self.lines += self._table(["", ""], rows, None, None)[1:]

    def table(self, heads: list[str], rows: Sequence[tuple[str, ...]], colours: dict[str, str],
              below: list[str] | None = None) -> None:
        self.lines += self._table(heads, rows, colours if self.colour else None, below)

    def path(self, path: str, beside: int = 20) -> str:
        """The path, shortened to fit the terminal. `beside`: characters of the other columns."""
        return path if self.width is None else short_path(path, max(self.width - beside, 30))

    def _table(self, heads: list[str], rows: Sequence[tuple[str, ...]], colours: dict[str, str] | None,
               below: list[str] | None) -> list[str]:
        width = None if self.width is None else self.width - len(_INDENT)
        rows = [tuple(map(terminal.writable, row)) for row in rows]
        below = below and list(map(terminal.writable, below))
        return [_INDENT + line for line in terminal.table(heads, rows, width, colours, below=below, whole=True)]


def report(version: str, machine: Machine, findings: Findings, verdict: Verdict, hints: list[Hint],
           page: Page) -> str:
    _header(version, machine, page)
    _settings(findings, page)
    _driver(findings.driver, machine, page)
    for library in findings.libraries:
        _library(library, findings.driver, page)
    _matrix(findings, page)
    for file in verdict.files:
        _file(file, page)
    _hints(hints, page)
    page.lines.append("")
    page.line(verdict.line, "green" if verdict.status == exit_status.YES else "red")
    return "\n".join(page.lines)


def _header(version: str, machine: Machine, page: Page) -> None:
    page.head(f"anycuda {version} doctor")
    asked_as = "a program other than Python"
    if machine.asked_as == "python":
        asked_as = f"Python {machine.python}, {page.path(machine.executable)}"
    rows = [("machine", f"{machine.system}, {machine.kernel}, {machine.libc}"), ("as seen by", asked_as)]
    within = [CONTAINERS[machine.container_kind or "container"]] if machine.container else []
    if machine.wsl or within:
        rows.append(("within", ", ".join([*within, "WSL"] if machine.wsl else within)))
    page.pairs(rows)


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


def _driver(driver: Driver, machine: Machine, page: Page) -> None:
    page.head("Driver")
    rows = [("library", page.path(driver.path) or "none")]
    if driver.cuda:
        rows.append(("CUDA", f"up to {driver.cuda}"))
        rows.append(("branch", str(driver.branch or f"unknown: {driver.branch_problem}")))
    unknown = f"unknown: {machine.ended}" if machine.ended else "not loaded"
    rows.append(("kernel module", machine.kernel_driver or unknown))
    rows += [("GPU", f"{gpu.name}, compute capability {gpu.compute_capability}, {gpu.memory / 2**30:.0f} GiB")
             for gpu in driver.gpus]
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


def _library(library: Library, driver: Driver, page: Page) -> None:
    page.head(f"{library.product}, {library.stub}")
    ended = {answer.ended: answer for answer in library.answers.values() if answer.ended}
    for answer in ended.values():
        page.sentence(f"{answer.ended}; last step: {answer.last_step or 'none'}")
    if not library.candidates:
        if not ended:
            page.sentence(f"none was found; searched: {_places(library)}")
        return
    rows, below = [], []
    for candidate in library.candidates:
        word, why = verdict_of(candidate)
        place = column("tier", "place").get(candidate.place, library.variable)
        version, source = ("", "") if library.is_driver else (version_of(candidate), source_of(candidate))
        rows.append((_MARK if library.taken_by(candidate) else " ", version, source, word, place,
                     page.path(candidate.path, _BESIDE_FILE)))
        # All reasons against a candidate name the same driver.
        why = why.replace(driver.path, page.path(driver.path)) if driver.path else why
        below.append("; ".join(filter(None, [why, condition_of(candidate, driver), _conflict(candidate)])))
    page.table(["", "CUDA", "read from", "verdict", "where", "file"], rows, colours(), below)


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
    return ", ".join(map(described, library.places))


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
    for line in describe_kernels.lines(file.kernels, facts, file.kind != "file"):
        page.sentence(line)
    words_of = describe_kernels.reply if file.kernels else describe_kernels.reasons_of
    for text in dict.fromkeys(words_of(reply, file.kind != "file") for reply in file.replies):
        page.sentence(text)


def _hints(hints: list[Hint], page: Page) -> None:
    if not hints:
        return
    page.head("What to do")
    for number, hint in enumerate(hints, 1):
        page.pairs([(f"{number}.", f"{hint.why} {hint.what}")])
        for command in hint.commands:
            page.line(f"{_INDENT * 4}$ {command}")
