# SPDX-License-Identifier: Apache-2.0
"""Reading the memory maps that the probe copies out: pure functions of text."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

_FIELDS = {"Rss": "resident", "Private_Dirty": "dirty"}


@dataclass
class Amount:
    """Kilobytes."""

    resident: int = 0
    dirty: int = 0

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.resident + other.resident, self.dirty + other.dirty)

    def __sub__(self, other: Amount) -> Amount:
        return Amount(self.resident - other.resident, self.dirty - other.dirty)


@dataclass
class Moment:
    """All mappings and loaded objects of a process at one moment."""

    mappings: list[tuple[int, int, Amount]] = field(default_factory=list)
    objects: dict[str, tuple[int, int]] = field(default_factory=dict)

    def whole(self) -> Amount:
        """The process."""
        return sum((amount for _, _, amount in self.mappings), Amount())

    def holds(self, file: Path) -> bool:
        """Whether `file` is loaded, under whatever name."""
        return any(path and Path(path).resolve() == file.resolve() for path in self.objects)

    def amount_of(self, file: Path) -> Amount:
        """All mappings inside the object that was loaded from `file`.

        By address, not by file: an object's zero-initialised data is mapped without its name.
        """
        ranges = [span for path, span in self.objects.items()
                  if path and Path(path).resolve() == file.resolve()]
        return sum((amount for low, high, amount in self.mappings
                    if any(begin - 4096 < low and high < end + 4096 for begin, end in ranges)),
                   Amount())


def settle(file: Path) -> None:
    """Writes `file` out to the disk.

    Until then, pages of a new file count as dirty in every process that maps them.
    """
    with file.open("rb") as opened:
        os.fsync(opened.fileno())


_RANGE = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) ")
_VALUE = re.compile(r"^(\w+):\s+(\d+) kB")


def read_moments(output: str) -> dict[str, Moment]:
    """The probe's memory blocks by the name of their moment."""
    moments: dict[str, Moment] = {}
    moment = None
    for line in output.splitlines():
        if line.startswith("memory "):
            moment = moments.setdefault(line.split()[1], Moment())
        elif line == "end":
            moment = None
        elif moment is not None:
            _read_line(moment, line)
    return moments


def _read_line(moment: Moment, line: str) -> None:
    if line.startswith("object "):
        words = line.split(" ", 3)
        moment.objects[words[3]] = (int(words[1], 16), int(words[2], 16))
    elif span := _RANGE.match(line):
        moment.mappings.append((int(span.group(1), 16), int(span.group(2), 16), Amount()))
    elif (value := _VALUE.match(line)) and value.group(1) in _FIELDS and moment.mappings:
        setattr(moment.mappings[-1][2], _FIELDS[value.group(1)], int(value.group(2)))
