# SPDX-License-Identifier: Apache-2.0
"""Short descriptions of findings, for the columns of a table."""

from __future__ import annotations

import os
from pathlib import Path

from ..elf import ElfError, mark
from .findings import UNVERSIONED, Candidate, Decision, Driver
from .outcomes import CandidateVerdict, FileState, column

TAKEN, NOT_NEEDED, DEPENDS = "taken", "not needed", "depends"
_QUIET_STUB, _NOT_EXAMINED, _INCOMPLETE = "a quiet stub", "not examined", "incomplete"


def colours() -> dict[str, str]:
    """The colour of each verdict in the table."""
    return {TAKEN: "green", DEPENDS: "cyan", NOT_NEEDED: "", _NOT_EXAMINED: "yellow", _QUIET_STUB: "red",
            **dict.fromkeys(column("verdict", "short").values(), "yellow"),
            **dict.fromkeys(column("state", "short").values(), "red")}


def word_of(candidate: Candidate, decision: Decision) -> str:
    if decision.taken:
        return TAKEN
    if decision.verdict is CandidateVerdict.ACCEPTED:
        return _INCOMPLETE if candidate.lacking else _state(candidate, NOT_NEEDED)
    if decision.verdict is CandidateVerdict.NOT_LOOKED_AT:
        return _NOT_EXAMINED
    return column("verdict", "short").get(decision.verdict) or _state(candidate, decision.verdict)


def _state(candidate: Candidate, otherwise: str) -> str:
    if candidate.state is FileState.ANYCUDA_STUB and _is_quiet(candidate.path):
        return _QUIET_STUB
    return column("state", "short").get(candidate.state, otherwise)


def _is_quiet(path: str) -> bool:
    """Is the stub quiet? It then writes messages only if ANYCUDA_LOG is set."""
    try:
        return mark.is_quiet(Path(path))
    except ElfError:
        return False


def verdict_of(candidate: Candidate) -> tuple[str, str]:
    """A word, and a sentence with the reasons, or "" if the word suffices."""
    callers: dict[tuple[str, str], list[str]] = {}
    for caller, decision in candidate.decisions.items():
        word = word_of(candidate, decision)
        reason = word if decision.reason in ("usable", NOT_NEEDED) else decision.reason
        if candidate.lacking and decision.verdict is CandidateVerdict.ACCEPTED:
            reason = f"incomplete: {candidate.lacking} is missing, which it opens at its first use"
        callers.setdefault((word, reason), []).append(caller)
    verdicts = list(dict.fromkeys(word for word, _ in callers))
    word = verdicts[0] if len(verdicts) == 1 else TAKEN if TAKEN in verdicts else DEPENDS
    if len(callers) == 1:
        reason = next(iter(callers))[1]
        return word, "" if reason == word else reason
    return word, "; ".join(f"{for_callers(who)}: {reason}" for (_, reason), who in callers.items())


def condition_of(candidate: Candidate, driver: Driver) -> str:
    """The condition for a taken library to work with a driver of an older CUDA, or ""."""
    taken = next((decision.driver for decision in candidate.decisions.values() if decision.taken), "")
    condition = column("driver", "condition").get(taken, "")
    return condition.format(newer=f"newer than the driver's CUDA {driver.cuda}")


def for_callers(callers: list[str]) -> str:
    majors = [caller for caller in callers if caller != UNVERSIONED]
    others = ["unversioned calls"] if UNVERSIONED in callers else []
    return "for " + " and ".join(([f"CUDA {', '.join(majors)}"] if majors else []) + others)


def version_of(candidate: Candidate) -> str:
    """12.9; 12.8+ if only the file's exported names tell the version. Those of NCCL are the same for every CUDA."""
    if candidate.release and not candidate.exact:
        return candidate.built_with
    return candidate.version + ("" if candidate.exact or "." not in candidate.version else "+")


def source_of(candidate: Candidate) -> str:
    """The source for a table: "wheel nvidia-cuda-runtime-cu12 12.9.79" as "wheel 12.9.79", and a name or a folder
    without its text, which the path beside it has."""
    if candidate.release and not candidate.exact:
        return "its text" if candidate.built_with else ""
    if not candidate.exact:
        return "its symbols" if candidate.version else ""
    for start, short in (("its name ", "its name"), ("the name of its folder ", "its folder")):
        if candidate.source.startswith(start):
            return short
    first, *rest = candidate.source.split()
    return " ".join([first, *rest[-1:]]) if first == "wheel" else candidate.source


def short_path(path: str, width: int) -> str:
    """The path with ~ for the home folder; if longer than `width`, without its middle."""
    home = os.environ.get("HOME", "").rstrip("/")
    if home and path.startswith(f"{home}/"):
        path = "~" + path[len(home):]
    parts = path.split("/")
    for first, last in ((3, 3), (3, 2), (2, 2), (2, 1)):
        if len(path) <= width or len(parts) <= first + last + 1:
            break
        path = "/".join([*parts[:first], "...", *parts[-last:]])
    return path
