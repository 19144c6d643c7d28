# SPDX-License-Identifier: Apache-2.0
"""Faults of variables that name folders with CUDA: pure functions. A child process looks at the paths, since one on a
network file system may hang."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from .machine import TOOLKIT_VARIABLES
from .questions import KINDS, Outcome

LIBRARY_PATH = "LD_LIBRARY_PATH"
_UNKNOWN, _HANGS = "unknown", "hangs"


@dataclass(frozen=True)
class Fault:
    """`kind`: the row of hint_table.py. `entry`: the part of the value that is at fault. `folder`: the first of a list
    that exists, or ""."""

    name: str
    value: str
    entry: str
    kind: str
    folder: str = ""

    @property
    def hangs(self) -> bool:
        return self.kind == f"variable_{_HANGS}"

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
    kinds = dict(zip(paths, (record.text("kind") for record in outcome.of("kind"))))
    if outcome.ended and len(kinds) < len(paths):
        kinds[paths[len(kinds)]] = _HANGS
    return [Fault(name, value, entry, fault, next((part for part in entry.split(":")
                                                   if kinds.get(part) == "folder"), ""))
            for name, value, entry in _entries(variables)
            for fault in [_fault(entry, name != LIBRARY_PATH, kinds)] if fault]


def _entries(variables: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """(name, value, entry)"""
    found = [(LIBRARY_PATH, variables.get(LIBRARY_PATH, ""), entry)
             for entry in dict.fromkeys(re.split("[:;]", variables.get(LIBRARY_PATH, "")))
             if "$" not in entry]  # the dynamic linker replaces $ORIGIN and $LIB
    found += [(name, variables.get(name, ""), variables.get(name, "")) for name in TOOLKIT_VARIABLES]
    return [one for one in found if one[2]]


def _fault(entry: str, is_one: bool, kinds: Mapping[str, str]) -> str:
    there = kinds.get(entry, _UNKNOWN) if entry.startswith("/") else ""
    if there in ("folder", _UNKNOWN):
        return ""
    if there == _HANGS:
        return f"variable_{_HANGS}"
    if is_one and ":" in entry:
        return "variable_list"
    if not entry.startswith("/"):
        return "variable_relative"
    return "variable_file" if there else "variable_nothing"
