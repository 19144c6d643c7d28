# SPDX-License-Identifier: Apache-2.0
"""Short descriptions of findings, for the columns of a table."""

from __future__ import annotations

import os
from pathlib import Path

from ..elf import ElfError, mark
from .findings import UNVERSIONED, Candidate, Decision, Driver

TAKEN, NOT_NEEDED, DEPENDS = "taken", "not needed", "depends"
_STATES = {
    "missing": "missing",
    "unreadable": "unreadable",
    "not_a_file": "not a file",
    "not_absolute": "not a full path",
    "has_tokens": "has a $",
    "not_trusted": "not trusted",
    "not_elf": "not a library",
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
    "driver_failed": "driver fails",
    "not_looked_at": "not examined",
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
    "toolkit": "toolkit variable",
    "system": "system",
}  # the place "variable" has the name of the library's variable
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
        callers.setdefault((word, reason), []).append(caller)
    verdicts = list(dict.fromkeys(word for word, _ in callers))
    word = verdicts[0] if len(verdicts) == 1 else TAKEN if TAKEN in verdicts else DEPENDS
    if len(callers) == 1:
        reason = next(iter(callers))[1]
        return word, "" if reason == word else reason
    return word, "; ".join(f"{for_callers(who)}: {reason}" for (_, reason), who in callers.items())


def condition_of(candidate: Candidate, driver: Driver) -> str:
    """The condition for a taken library to work with a driver of an older CUDA, or ""."""
    newer = f"newer than the driver's CUDA {driver.cuda}"
    conditions = {
        "served_by_minor_version": f"{newer}: works by minor-version compatibility, but the driver cannot compile "
                                   "PTX that is this new",
        "served_by_declaration": f"{newer}: works if NVIDIA's cuda-compat package is in use, as "
                                 "ANYCUDA_DRIVER_COMPAT=assume_forward_compat declares",
        "branch_short": f"{newer}: the driver's branch is older than this CUDA major needs; strict mode would refuse "
                        "this file",
        "branch_unknown": f"{newer}: works if the driver's branch, which is unknown, allows it",
    }
    taken = next((decision.driver for decision in candidate.decisions.values() if decision.taken), "")
    return conditions.get(taken, "")


def for_callers(callers: list[str]) -> str:
    majors = [caller for caller in callers if caller != UNVERSIONED]
    others = ["unversioned calls"] if UNVERSIONED in callers else []
    return "for " + " and ".join(([f"CUDA {', '.join(majors)}"] if majors else []) + others)


def version_of(candidate: Candidate) -> str:
    """12.9; 12.8+ if only the file's exported names tell the version."""
    return candidate.version + ("" if candidate.exact or "." not in candidate.version else "+")


def source_of(candidate: Candidate) -> str:
    """The source for a table: "wheel nvidia-cuda-runtime-cu12 12.9.79" as "wheel 12.9.79"; likewise for conda and
    dpkg."""
    if not candidate.exact:
        return "its symbols" if candidate.version else ""
    first, *rest = candidate.source.split()
    if first in ("conda", "dpkg"):  # "conda package NAME VERSION, pinned by ...", "dpkg package NAME"
        return " ".join([first, *rest[1:3][-1:]]).rstrip(",")
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
