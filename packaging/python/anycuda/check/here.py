# SPDX-License-Identifier: Apache-2.0
"""`anycuda check --here`: does an input run on this machine? The doctor examines the machine."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from .. import doctor
from ..analysis import code_rules, describe_ties, gpus
from ..analysis.describe_kernels import reasons_of, some
from ..analysis.file_use import Use
from ..doctor import devices, examined, questions
from ..doctor.devices import Devices
from ..doctor.findings import UNVERSIONED, Answer, Findings, Library, library_of
from ..doctor.records import RecordKind
from ..failure import Failure
from ..matrix.data import Run
from .cells import Asked
from .describe_verdict import sentence
from .findings import HereVerdict, Input
from .input_verdict import VerdictKind

_LIMIT = 30.0  # seconds for the driver and the libraries to answer
_NOT_SEARCHED = "anycuda does not search for libraries without a stub."


@dataclass(frozen=True)
class Here(Devices):
    """The driver, GPUs and libraries of this machine. `unknown`: why they are unknown."""

    libraries: dict[str, Library] = field(default_factory=dict)
    unknown: str = ""

    @property
    def releases(self) -> tuple[str, ...]:
        """The releases of the libraries that programs would use, in the matrix's spellings."""
        return tuple(dict.fromkeys(text for library in self.libraries.values() for answer in library.answers.values()
                                   if answer.path and answer.version for text in _releases(library, answer)))


def examine(python: str = "") -> Here:
    """`python`: of --python; by default the doctor chooses."""
    try:
        asker, _ = examined.examine(python, False, _LIMIT, os.environ)
        libraries = [library_of(record) for record in questions.about(asker).records_of(RecordKind.LIBRARY)]
        findings, _ = doctor.ask(asker, libraries, [], [], [], [])
    except Failure as failure:
        if python:
            raise
        return Here(unknown=str(failure))
    return from_findings(findings)


def from_findings(findings: Findings) -> Here:
    here = devices.of_driver(findings.driver)
    return Here(here.branch, here.gpus, here.lacking,
                {library.name: library for library in findings.libraries if not library.is_driver})


def evaluate(input_: Input, here: Here, asked: Asked) -> HereVerdict:
    if here.unknown:
        return HereVerdict(None, (f"This machine could not be examined: {here.unknown}.",))
    uses = [use for file in input_.files for use in file.served if use.symbols]
    if not (uses or input_.kernels or input_.verdict.static or input_.verdict.ties):
        return _without_calls(input_)
    answers = [*_driver(input_, here), *_libraries(uses, here), *_functions(input_, here, asked)]
    if input_.verdict.ties:
        answers.append((None, f"It is {describe_ties.tied(input_.verdict.ties, short=True)}; {_NOT_SEARCHED}"))
    runs = code_rules.all_true(result for result, _ in answers)
    counted = [text for result, text in answers if runs or result is not True]
    return HereVerdict(runs, tuple(dict.fromkeys(counted)))


def _without_calls(input_: Input) -> HereVerdict:
    """Of an input that calls no CUDA library with a stub, and has no device code."""
    if not input_.files:
        return HereVerdict(None, ("It has no binaries.",))
    verdict = sentence(input_.verdict)
    if input_.verdict.kind is VerdictKind.WITH:
        return HereVerdict(None, (f"It is {verdict}; {_NOT_SEARCHED}",))
    if input_.verdict.kind is VerdictKind.OWN_LOADER:
        return HereVerdict(None, (f"It has its {verdict}; anycuda does not examine which libraries it loads.",))
    return HereVerdict(True, ("It uses no CUDA library and has no device code.",))


def _driver(input_: Input, here: Here) -> Iterable[tuple[bool | None, str]]:
    if here.lacking:
        yield False, f"This machine has {here.lacking}."
    for reply in devices.replies(input_.kernels, input_.verdict.kernels, input_.verdict.runtimes, here, gpus.facts()):
        yield reply.loads, reasons_of(reply, input_.names_files)


def _libraries(uses: Sequence[Use], here: Here) -> Iterable[tuple[bool | None, str]]:
    for use in uses:
        library = here.libraries.get(use.library)
        for caller in dict.fromkeys(symbol.major or _only(use) for symbol in use.symbols):
            answer = _answer(library, caller) if library else None
            if library is None or answer is None:
                continue
            if answer.ended:
                yield None, f"The search for {library.short} ended without an answer ({answer.ended})."
            elif not answer.path:
                hint = f": {answer.hint}" if answer.hint else ""
                yield False, f"This machine has no usable {library.short}{hint}."
            else:
                yield True, f"This machine has {library.short} {answer.version}: {answer.path}."


def _only(use: Use) -> str:
    return use.majors[0] if len(use.majors) == 1 else ""


def _answer(library: Library, caller: str) -> Answer | None:
    return library.answers.get(caller) or library.answers.get(UNVERSIONED)


def _functions(input_: Input, here: Here, asked: Asked) -> Iterable[tuple[bool, str]]:
    failing: dict[str, list[str]] = {}
    for run in input_.failing(asked):
        where = _fails_on(run, here)
        if where:
            failing.setdefault(where, []).append(run.symbol)
    for where, names in failing.items():
        yield False, f"{some(list(dict.fromkeys(names)))} would fail on {where}."


def _fails_on(run: Run, here: Here) -> str:
    library = here.libraries.get(run.library)
    if library is None:
        return f"driver {here.branch}" if here.branch else ""
    answer = _answer(library, run.caller)
    if answer is None or not set(_releases(library, answer)) & set(run.runtimes):
        return ""
    return f"{library.short} {answer.version}"


def _releases(library: Library, answer: Answer) -> tuple[str, ...]:
    """12.9 and nccl-12.9: the spelling for CUDA's libraries, and for those with their own releases."""
    return answer.version, f"{library.name}-{answer.version}"
