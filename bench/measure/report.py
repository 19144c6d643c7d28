# SPDX-License-Identifier: Apache-2.0
"""Tables of results as text, Markdown and JSON."""

from __future__ import annotations

import json
import textwrap
from dataclasses import asdict, dataclass, field


@dataclass
class Section:
    """One table: what it says, its columns, its rows (numbers stay numbers), what was left out."""

    title: str
    meaning: str
    columns: list[str]
    rows: list[list[str | int | float | None]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def number(cell: str | int | float | None) -> int | float | None:
    """A cell that holds a number, or nothing."""
    return None if isinstance(cell, str) else cell


def shown(value: str | int | float | None) -> str:
    """A cell as a person reads it."""
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.2f}"
    return f"{value:,}" if isinstance(value, int) else value


def _aligned(section: Section) -> list[list[str]]:
    """The table's cells, header first, padded: numbers to the right, words to the left."""
    table = [section.columns, *([shown(cell) for cell in row] for row in section.rows)]
    padded = []
    for i in range(len(section.columns)):
        width = max(len(row[i]) for row in table)
        words = any(isinstance(row[i], str) for row in section.rows)
        padded.append([row[i].ljust(width) if words else row[i].rjust(width) for row in table])
    return [list(row) for row in zip(*padded)]


def as_text(sections: list[Section]) -> str:
    """For the terminal."""
    lines: list[str] = []
    for section in sections:
        header, *rows = ["  " + "  ".join(row) for row in _aligned(section)]
        meaning = textwrap.wrap(section.meaning, 98, initial_indent="  ", subsequent_indent="  ")
        lines += [section.title, *meaning, "", header.rstrip(), "  " + "-" * (len(header) - 2)]
        lines += [row.rstrip() for row in rows]
        lines += [f"  note: {note}" for note in section.notes] + [""]
    return "\n".join(lines)


def as_markdown(heading: str, facts: dict[str, str], sections: list[Section]) -> str:
    """For a document."""
    lines = [f"# {heading}", "",
             "Written by `python3 bench/run.py --markdown FILE`; [README.md](README.md) says what "
             "each number means.", ""]
    lines += [f"- {name}: {value}" for name, value in facts.items()] + [""]
    for section in sections:
        lines += [f"## {section.title}", "", section.meaning, "",
                  "| " + " | ".join(section.columns) + " |",
                  "|---|" + "---:|" * (len(section.columns) - 1)]
        lines += ["| " + " | ".join(shown(cell) for cell in row) + " |" for row in section.rows]
        lines += [""] + [f"- {note}" for note in section.notes] + ([""] if section.notes else [])
    return "\n".join(lines)


def as_json(facts: dict[str, str], sections: list[Section]) -> str:
    """For a program."""
    return json.dumps({"facts": facts, "sections": [asdict(section) for section in sections]},
                      indent=1) + "\n"
