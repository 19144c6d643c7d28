# SPDX-License-Identifier: Apache-2.0
"""Faults of variables that name folders with CUDA: pure functions. A child process looks at the paths, since one on a
network file system may hang."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from .about_files import PathKind
from .machine import TOOLKIT_VARIABLES
from .questions import KINDS, Outcome
from .records import RecordKind
from .situation import Situation

LIBRARY_PATH = "LD_LIBRARY_PATH"


@dataclass(frozen=True)
class Fault:
    """`entry`: the part of the value that is at fault. `folder`: the first of a list that exists, or ""."""

    name: str
    value: str
    entry: str
    situation: Situation
    folder: str = ""

    @property
    def hangs(self) -> bool:
        return self.situation is Situation.VARIABLE_HANGS

    @property
    def is_of_cuda(self) -> bool:
        """Does the entry look like CUDA's? Other entries of LD_LIBRARY_PATH matter only if programs get no CUDA."""
        like_cuda = re.search("cuda|cudnn|nvidia|nvhpc|hpc_sdk", self.entry, re.I) is not None
        return self.hangs or self.name != LIBRARY_PATH or like_cuda


def question_of(variables: Mapping[str, str]) -> tuple[str, ...]:
    """The question what the paths are, in the order of the answers."""
    paths = dict.fromkeys(part for _, _, entry in _entries(variables) for part in (entry, *entry.split(":"))
                          if part.startswith("/"))
    return KINDS, *(path for path in paths if "\0" not in path)


def faults_of(variables: Mapping[str, str], outcome: Outcome) -> list[Fault]:
    paths = question_of(variables)[1:]
    kinds = dict(zip(paths, (PathKind(record.text("kind")) for record in outcome.records_of(RecordKind.PATH_KIND))))
    if outcome.ended and len(kinds) < len(paths):
        kinds[paths[len(kinds)]] = PathKind.HANGS
    return [Fault(name, value, entry, situation, next((part for part in entry.split(":")
                                                       if kinds.get(part) is PathKind.FOLDER), ""))
            for name, value, entry in _entries(variables)
            for situation in [_situation(entry, name != LIBRARY_PATH, kinds)] if situation]


def _entries(variables: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """(name, value, entry)"""
    entries = [(LIBRARY_PATH, variables.get(LIBRARY_PATH, ""), entry)
               for entry in dict.fromkeys(re.split("[:;]", variables.get(LIBRARY_PATH, "")))
               if "$" not in entry]  # the dynamic linker replaces $ORIGIN and $LIB
    entries += [(name, variables.get(name, ""), variables.get(name, "")) for name in TOOLKIT_VARIABLES]
    return [(name, value, entry) for name, value, entry in entries if entry]


def _situation(entry: str, is_folder: bool, kinds: Mapping[str, PathKind]) -> Situation | None:
    """`is_folder`: the variable names one folder, not a list."""
    kind = kinds.get(entry, PathKind.UNKNOWN) if entry.startswith("/") else PathKind.NOTHING
    if kind in (PathKind.FOLDER, PathKind.UNKNOWN):
        return None
    if kind is PathKind.HANGS:
        return Situation.VARIABLE_HANGS
    if is_folder and ":" in entry:
        return Situation.VARIABLE_LIST
    if not entry.startswith("/"):
        return Situation.VARIABLE_RELATIVE
    return Situation.VARIABLE_FILE if kind is PathKind.FILE else Situation.VARIABLE_NOTHING
