# SPDX-License-Identifier: Apache-2.0
"""Findings in few words, for the columns of a table."""

from __future__ import annotations

import os
from pathlib import Path

from ..elf import ElfError, mark
from .findings import Candidate, Decision, Driver
from .verdict import name_of_caller

TAKEN, NOT_NEEDED, DEPENDS = "taken", "not needed", "depends"
_STATES = {
    "missing": "not there",
    "unreadable": "unreadable",
    "not_a_file": "no file",
    "not_absolute": "no full path",
    "has_tokens": "has a $",
    "not_trusted": "not trusted",
    "not_elf": "no library",
    "other_architecture": "other CPU",
    "truncated": "damaged",
    "other_library": "other library",
    "anycuda_stub": "a stub",
    "core_symbol_missing": "incomplete",
    "out_of_memory": "not read",
    "open_failed": "does not load",
    "other_file_opened": "another file",
    "other_version": "another CUDA",
    "link_stub": "for linking",
}
_QUIET_STUB = "a quiet stub"
_VERDICTS = {
    "newer_than_known": "too new",
    "other_major": "other major",
    "other_loaded": "other loaded",
    "other_group": "other CUDA loaded",
    "other_runtime": "other runtime loaded",
    "no_metadata": "no metadata",
    "driver_too_old": "driver too old",
    "driver_branch_short": "driver too old",
    "driver_branch_unknown": "branch unknown",
    "driver_major_unknown": "major unknown",
    "driver_failed": "driver fails",
    "not_looked_at": "not looked at",
}
PLACES = {
    "loaded": "loaded",
    "rpath": "DT_RPATH",
    "library_path": "LD_LIBRARY_PATH",
    "runpath": "DT_RUNPATH",
    "caller": "packages",
    "python": "packages",
    "conda": "conda",
    "activated": "activated",
    "toolkit": "CUDA_PATH",
    "system": "system",
}  # the library's own variable goes by its name
CONTAINERS = {"kubernetes": "a Kubernetes pod", "containerd": "a container of containerd",
              "cri-o": "a container of CRI-O", "docker": "a Docker container", "podman": "a Podman container",
              "apptainer": "an Apptainer container", "lxc": "an LXC container", "container": "a container"}
COLOURS = {TAKEN: "green", DEPENDS: "cyan", NOT_NEEDED: ""}
COLOURS.update(dict.fromkeys(_VERDICTS.values(), "yellow"))
COLOURS.update(dict.fromkeys((*_STATES.values(), _QUIET_STUB), "red"))


def word_of(candidate: Candidate, decision: Decision) -> str:
    if decision.taken:
        return TAKEN
    if decision.verdict != "accepted":
        return _VERDICTS.get(decision.verdict) or _state(candidate, decision.verdict)
    return _state(candidate, NOT_NEEDED)


def _state(candidate: Candidate, otherwise: str) -> str:
    if candidate.state == "anycuda_stub" and _is_quiet(candidate.path):
        return _QUIET_STUB
    return _STATES.get(candidate.state, otherwise)


def _is_quiet(path: str) -> bool:
    """It writes messages only where ANYCUDA_LOG is set."""
    try:
        return mark.is_quiet(Path(path))
    except ElfError:
        return False


def verdict_of(candidate: Candidate) -> tuple[str, str]:
    """A word, and the reasons in a sentence, "" where the word says it all."""
    callers: dict[tuple[str, str], list[str]] = {}
    for caller, decision in candidate.decisions.items():
        word = word_of(candidate, decision)
        reason = word if decision.reason in ("usable", NOT_NEEDED) else decision.reason
        callers.setdefault((word, reason), []).append(caller)
    words = list(dict.fromkeys(word for word, _ in callers))
    word = words[0] if len(words) == 1 else TAKEN if TAKEN in words else DEPENDS
    if len(callers) == 1:
        reason = next(iter(callers))[1]
        return word, "" if reason == word else reason
    return word, "; ".join(f"{for_callers(who)}: {reason}" for (_, reason), who in callers.items())


def condition_of(candidate: Candidate, driver: Driver) -> str:
    """The condition for a taken library to work with a driver of an older CUDA, "" where that does not matter."""
    newer = f"newer than the driver's CUDA {driver.cuda}"
    said = {
        "served_by_minor_version": f"{newer}: works by minor-version compatibility, but the driver cannot compile "
                                   "PTX that is this new",
        "served_by_declaration": f"{newer}: works if NVIDIA's cuda-compat package is in use, as is declared",
        "branch_short": f"{newer}: the driver's branch is older than this major needs, and "
                        "strict mode refuses it",
        "branch_unknown": f"{newer}: works if the driver's branch allows it, which nobody can say",
    }
    taken = next((decision.driver for decision in candidate.decisions.values() if decision.taken), "")
    return said.get(taken, "")


def for_callers(callers: list[str]) -> str:
    majors = [caller for caller in callers if caller.isdigit()]
    others = [name_of_caller(caller) for caller in callers if not caller.isdigit()]
    return "for " + " and ".join(([f"CUDA {', '.join(majors)}"] if majors else []) + others)


def version_of(candidate: Candidate) -> str:
    """12.9, and 12.8+ where the file's own names say no more."""
    return candidate.version + ("" if candidate.exact or "." not in candidate.version else "+")


def source_of(candidate: Candidate) -> str:
    """"wheel nvidia-cuda-runtime-cu12 12.9.79" is "wheel 12.9.79" in a table; sources of conda and dpkg alike."""
    if not candidate.exact:
        return "its symbols" if candidate.version else ""
    first, *rest = candidate.source.split()
    if first in ("conda", "dpkg"):  # "conda package NAME VERSION, pinned by ...", "dpkg package NAME"
        return " ".join([first, *rest[1:3][-1:]]).rstrip(",")
    return " ".join([first, *rest[-1:]]) if first == "wheel" else candidate.source


def short_path(path: str, room: int) -> str:
    """The home as ~, and of a path that is longer than `room` what is in its middle left out."""
    home = os.environ.get("HOME", "").rstrip("/")
    if home and path.startswith(f"{home}/"):
        path = "~" + path[len(home):]
    parts = path.split("/")
    for first, last in ((3, 3), (3, 2), (2, 2), (2, 1)):
        if len(path) <= room or len(parts) <= first + last + 1:
            break
        path = "/".join([*parts[:first], "...", *parts[-last:]])
    return path
