"""The list of wheels: a line is `name==version`, with the Python version where it is not 3.11, such as
`k2==1.23.4 python=3.9`. What follows a # is a comment."""

from __future__ import annotations

import re
from dataclasses import dataclass

PYTHON = "3.11"
_LINE = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)==([^\s=]+)(?:\s+python=(\d+\.\d+))?")


class ListError(Exception):
    pass


@dataclass(frozen=True)
class Entry:
    name: str
    version: str
    python: str = PYTHON

    @property
    def requirement(self) -> str:
        return f"{self.name}=={self.version}"


def parse(text: str) -> list[Entry]:
    """The entries in the order of the list; raises ListError with the number of the line."""
    entries: list[Entry] = []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.partition("#")[0].strip()
        if not line:
            continue
        found = _LINE.fullmatch(line)
        if not found:
            raise ListError(f"line {number}: {line!r} is not of the form name==version [python=3.9]")
        entry = Entry(found[1], found[2], found[3] or PYTHON)
        if entry in entries:
            raise ListError(f"line {number}: {entry.requirement} is in the list twice")
        entries.append(entry)
    return entries


def select(entries: list[Entry], wanted: list[str]) -> list[Entry]:
    """Those named, by name or by name==version; all where nothing is named."""
    unknown = [name for name in wanted if not any(name in (one.name, one.requirement) for one in entries)]
    if unknown:
        raise ListError(f"not in the list: {', '.join(unknown)}")
    return [one for one in entries if not wanted or one.name in wanted or one.requirement in wanted]
