# SPDX-License-Identifier: Apache-2.0
"""The list of wheels. A line is `name==version` and options:

    python=3.9           the Python version, where it is not 3.11
    with=A==1,B==2       packages that are installed beside the wheel
    after=folder/lib.so  libraries in site-packages that the wheel's Python code opens before its own

What follows a # is a comment."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

PYTHON = "3.11"
_REQUIREMENT = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)==([^\s=,]+)")
_PYTHON = re.compile(r"\d+\.\d+")


class ListError(Exception):
    pass


@dataclass(frozen=True)
class Entry:
    """`beside`: the packages that are installed beside it. `after`: paths below site-packages."""

    name: str
    version: str
    python: str = PYTHON
    beside: tuple[Entry, ...] = ()
    after: tuple[str, ...] = ()

    @property
    def requirement(self) -> str:
        return f"{self.name}=={self.version}"


def parse(text: str) -> list[Entry]:
    """The entries in the order of the list; raises ListError with the number of the line."""
    entries: list[Entry] = []
    for number, line in enumerate(text.splitlines(), 1):
        columns = line.partition("#")[0].split()
        if not columns:
            continue
        try:
            entry = _entry(*columns)
        except ValueError as error:
            raise ListError(f"line {number}: {error} is not of the form "
                            "name==version [python=3.9] [with=A==1,B==2] [after=folder/lib.so]") from None
        if entry.requirement in [other.requirement for other in entries]:
            raise ListError(f"line {number}: {entry.requirement} is in the list twice")
        entries.append(entry)
    return entries


def _entry(requirement: str, *options: str) -> Entry:
    values = {}
    for option in options:
        key, _, value = option.partition("=")
        if key not in ("python", "with", "after") or key in values or not value:
            raise ValueError(repr(option))
        values[key] = value
    python = values.get("python", PYTHON)
    if not _PYTHON.fullmatch(python):
        raise ValueError(repr(f"python={python}"))
    beside = tuple(Entry(*_split(part), python) for part in values["with"].split(",")) if "with" in values else ()
    after = tuple(values["after"].split(",")) if "after" in values else ()
    if len({wheel.name for wheel in beside}) < len(beside):
        raise ValueError(repr(f"with={values['with']}"))
    for path in map(PurePosixPath, after):
        if not beside or not path.name or path.is_absolute() or ".." in path.parts:
            raise ValueError(repr(f"after={path}"))
    return Entry(*_split(requirement), python, beside, after)


def _split(requirement: str) -> tuple[str, str]:
    found = _REQUIREMENT.fullmatch(requirement)
    if not found:
        raise ValueError(repr(requirement))
    return found[1], found[2]


def select(entries: list[Entry], wanted: list[str]) -> list[Entry]:
    """Those named, by name or by name==version; all where nothing is named."""
    unknown = [name for name in wanted if not any(name in (entry.name, entry.requirement) for entry in entries)]
    if unknown:
        raise ListError(f"not in the list: {', '.join(unknown)}")
    return [entry for entry in entries if not wanted or entry.name in wanted or entry.requirement in wanted]
