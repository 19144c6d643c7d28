# SPDX-License-Identifier: Apache-2.0
"""Reports a note once for all copies of a file (wheels have no links, so libraries may be in them twice), and a note on
a tag once for all wheels with this tag. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ..wheels.wheel_record import Row


def first_copies(sums: Mapping[str, Row]) -> dict[str, str]:
    """File -> the first file with the same content."""
    firsts: dict[Row, str] = {}
    return {name: firsts.setdefault(row, name) for name, row in sums.items()}


def once(notes: list[str], first_of: Mapping[str, str], reported: Collection[str] = ()) -> list[str]:
    """The notes without repetitions. A note begins with the name of its file. `reported`: notes that the report on an
    earlier wheel has."""
    groups: dict[tuple[str, str], list[str]] = {}
    for note in notes:
        name, _, rest = note.partition(" ")
        key = (first_of[name], rest) if name in first_of else ("", note)
        if note not in reported:
            groups.setdefault(key, []).append(note)
    return [group[0] + _others(group[1:]) for group in groups.values()]


def _others(copies_: list[str]) -> str:
    if not copies_:
        return ""
    if len(copies_) == 1:
        return f" (the same for its copy {copies_[0].partition(' ')[0]})"
    return f" (the same for its {len(copies_)} copies)"
