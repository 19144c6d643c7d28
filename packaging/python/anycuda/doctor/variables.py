# SPDX-License-Identifier: Apache-2.0
"""Faults of variables that name folders with CUDA. What a path leads to is the caller's answer."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .machine import TOOLKIT_VARIABLES

LIBRARY_PATH = "LD_LIBRARY_PATH"


@dataclass(frozen=True)
class Fault:
    """`kind`: the row of hint_table.py. `entry`: the part of the value that is at fault."""

    name: str
    value: str
    entry: str
    kind: str

    @property
    def is_of_cuda(self) -> bool:
        """Does the entry look like CUDA's? Other entries of LD_LIBRARY_PATH matter only if programs get no CUDA."""
        return self.name != LIBRARY_PATH or re.search("cuda|cudnn|nvidia|nvhpc|hpc_sdk", self.entry, re.I) is not None


def kind_of(path: str) -> str:
    """"folder", "file", or "" for a path that leads to nothing."""
    if os.path.isdir(path):
        return "folder"
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return ""
    except OSError:
        return "folder"  # this user may not look: folder_denied reports it
    return "file"


def faults_of(variables: Mapping[str, str], kind: Callable[[str], str] = kind_of) -> list[Fault]:
    found = [(LIBRARY_PATH, variables.get(LIBRARY_PATH, ""), entry)
             for entry in dict.fromkeys(re.split("[:;]", variables.get(LIBRARY_PATH, "")))
             if "$" not in entry]  # the dynamic linker replaces $ORIGIN and $LIB
    found += [(name, variables.get(name, ""), variables.get(name, "")) for name in TOOLKIT_VARIABLES]
    return [Fault(name, value, entry, fault) for name, value, entry in found if entry
            for fault in [_fault(entry, name != LIBRARY_PATH, kind)] if fault]


def _fault(entry: str, is_one: bool, kind: Callable[[str], str]) -> str:
    there = kind(entry) if entry.startswith("/") else ""
    if there == "folder":
        return ""
    if is_one and ":" in entry:
        return "variable_list"
    if not entry.startswith("/"):
        return "variable_relative"
    return "variable_file" if there else "variable_nothing"
