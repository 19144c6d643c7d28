# SPDX-License-Identifier: Apache-2.0
"""Is CUDA work possible on this machine, including that of the given files? Pure functions of the findings."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ..analysis import exit_status
from ..analysis.describe_kernels import since_unread
from .files import File
from .findings import UNVERSIONED, Driver, Findings, Library, numbers

RUNTIME, DRIVER_LIBRARY = "cudart", "cuda"


@dataclass
class Verdict:
    """`reasons`: what is missing; empty if CUDA work is possible. `but`: callers that nevertheless get no library.
    `files`: the given files."""

    summary: str
    reasons: list[str]
    but: list[str]
    files: Sequence[File] = ()

    @property
    def status(self) -> int:
        answers = [not self.reasons, *(file.loads for file in self.files)]
        return exit_status.from_answers(answers, any(file.problems for file in self.files))

    @property
    def is_possible(self) -> bool:
        return not self.reasons and not self._failing

    @property
    def line(self) -> str:
        if self.reasons:
            work = f"CUDA work is not possible: {'; '.join(self.reasons)}"
        elif self._failing:
            obstacles = dict.fromkeys(file.obstacle for file in self._failing)
            work = "; ".join(f"CUDA work is not possible for {self._names(text)}: {text}" for text in obstacles)
        else:
            work = f"CUDA work is possible: {'; '.join([self.summary, *self.but])}"
        return f"{'; '.join([work, *filter(None, map(_about_file, self.files))])}."

    @property
    def _failing(self) -> list[File]:
        return [file for file in self.files if file.loads is False]

    def _names(self, obstacle: str) -> str:
        return ", ".join(file.name for file in self._failing if file.obstacle == obstacle)


def evaluate(findings: Findings, files: Sequence[File] = ()) -> Verdict:
    runtime = findings.named(RUNTIME)
    reasons = [reason for reason in (_without_runtime(runtime, findings), findings.driver.obstacle) if reason]
    reasons += [_without_library(library, library.short, findings)
                for library in findings.libraries if library.name in findings.requested - {RUNTIME}
                and not any(answer.path for answer in library.answers.values())]
    incomplete = {library.name: text for library in findings.libraries for text in [_incomplete(library)] if text}
    reasons += [text for name, text in incomplete.items() if name in findings.requested]
    but = [*_left_out(runtime), *incomplete.values(), *filter(None, [findings.mixed])]
    return Verdict(_summary(runtime, findings.driver), reasons, but, files)


def _incomplete(library: Library) -> str:
    """A library that is used although it lacks a file, since no complete one was found; "" for others."""
    return next((f"{library.short} is incomplete ({candidate.lacking} is missing)" for candidate in library.candidates
                 if candidate.lacking and library.taken_by(candidate)), "")


def _about_file(file: File) -> str:
    """The part of the line about a file that the rest does not cover."""
    if file.problems:
        name, text = file.problems[0]
        more = f" (and {len(file.problems) - 1} more)" if len(file.problems) > 1 else ""
        inside = f" of {file.name}" if name != file.name else ""
        return f"{name}{inside} cannot be read: {text.rstrip('.')}{more}"
    if file.loads is None:
        since = since_unread(file.kernels, file.of_several)
        return f"it is unknown whether the device code of {file.name} loads{since}"
    if not file.loads or not file.kernels.files:
        return ""
    others = [f"sm_{reply.gpu}" for reply in file.replies if not reply.loads]
    return (f"the device code of {file.name} loads on {', '.join(file.loads_on)}"
            + (f", not on {', '.join(others)}" if others else ""))


def _without_runtime(runtime: Library, findings: Findings) -> str:
    answers = runtime.answers.values()
    if any(answer.path for answer in answers):
        return ""
    refused = next((answer.refused for answer in answers if answer.refused), "")
    if refused:
        return f"the {runtime.product} is not searched for ({refused})"
    ended = next((answer for answer in answers if answer.ended), None)
    if ended is not None:
        return f"the search for the {runtime.product} ended without an answer ({ended.ended})"
    return _without_library(runtime, runtime.product, findings)


def _without_library(library: Library, name: str, findings: Findings) -> str:
    if library.candidates:
        return f"no usable {name}"
    gone = findings.gone_of(library)
    return f"no {name}: the files of {gone.name} {gone.version} are missing" if gone else f"no {name} was found"


def _summary(runtime: Library, driver: Driver) -> str:
    versions = sorted({answer.version for answer in runtime.answers.values() if answer.path}, key=numbers)
    count = len(driver.gpus)
    return (f"{runtime.product} {' or '.join(versions)}, a driver for CUDA {driver.cuda}, "
            f"{count} GPU{'' if count == 1 else 's'}")


def _left_out(runtime: Library) -> list[str]:
    left = [caller for caller, answer in runtime.answers.items() if not answer.path]
    return [f"a {program_of(left)} gets no {runtime.product}"] if left else []


def program_of(callers: Collection[str]) -> str:
    """program built for CUDA 11 or CUDA 12 or with unversioned calls"""
    majors = [f"CUDA {caller}" for caller in callers if caller != UNVERSIONED]
    kinds = [f"built for {' or '.join(majors)}"] if majors else []
    kinds += ["with unversioned calls"] if UNVERSIONED in callers else []
    return f"program {' or '.join(kinds)}"
