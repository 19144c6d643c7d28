"""Is CUDA work possible on this machine? Pure functions of what was found."""

from __future__ import annotations

from dataclasses import dataclass

from .findings import Driver, Findings, Library, numbers

RUNTIME = "cudart"
POSSIBLE, IMPOSSIBLE = 0, 1  # exit statuses


@dataclass
class Verdict:
    """`reasons`: what is lacking; empty where CUDA work is possible. `but`: who gets nothing all the same."""

    summary: str
    reasons: list[str]
    but: list[str]

    @property
    def status(self) -> int:
        return IMPOSSIBLE if self.reasons else POSSIBLE

    @property
    def line(self) -> str:
        if self.reasons:
            return f"CUDA work is not possible: {'; '.join(self.reasons)}."
        return f"CUDA work is possible: {'; '.join([self.summary, *self.but])}."


def judge(findings: Findings) -> Verdict:
    runtime = findings.library(RUNTIME)
    reasons = [reason for reason in (_without_runtime(runtime), without_gpu(findings.driver)) if reason]
    return Verdict(_summary(runtime, findings.driver), reasons, _left_out(runtime))


def _without_runtime(runtime: Library) -> str:
    answers = runtime.answers.values()
    if any(answer.path for answer in answers):
        return ""
    refused = next((answer.refused for answer in answers if answer.refused), "")
    if refused:
        return f"no {runtime.product} is looked for ({refused})"
    ended = next((answer for answer in answers if answer.ended), None)
    if ended is not None:
        return f"looking for the {runtime.product} ended without an answer ({ended.ended})"
    return f"no usable {runtime.product}" if runtime.candidates else f"no {runtime.product} is here"


def without_gpu(driver: Driver) -> str:
    failed = driver.failed_call
    if driver.ended:
        return f"asking the driver ended without an answer ({driver.ended})"
    if not driver.path:
        return "no driver"
    if driver.problem:
        return f"the driver does not work ({driver.problem})"
    if failed is not None:
        return f"no GPU ({failed.name}: {failed.error or failed.status})"
    return "" if driver.gpus else "no GPU (the driver works and sees none)"


def _summary(runtime: Library, driver: Driver) -> str:
    versions = sorted({answer.version for answer in runtime.answers.values() if answer.path}, key=numbers)
    count = len(driver.gpus)
    return (f"{runtime.product} {' or '.join(versions)}, a driver for CUDA {driver.cuda}, "
            f"{count} GPU{'' if count == 1 else 's'}")


def _left_out(runtime: Library) -> list[str]:
    left = [caller for caller, answer in runtime.answers.items() if not answer.path]
    return [f"a program built for {' or '.join(map(name_of_caller, left))} gets no {runtime.product}"] if left else []


def name_of_caller(caller: str) -> str:
    return f"CUDA {caller}" if caller.isdigit() else "no version"
