# SPDX-License-Identifier: Apache-2.0
"""The lines of a report: sentences, tables and paths that fit the terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from .. import terminal
from .describe_candidate import short_path

INDENT = "  "


class Page:
    """The lines of a report. `colour`: use colours. `width`: the terminal's width, or None for unwrapped lines. Escapes
    control characters in file names."""

    def __init__(self, colour: bool, width: int | None) -> None:
        self.colour, self.width = colour, width
        self.lines: list[str] = []

    def paint(self, text: str, colour: str) -> str:
        return terminal.paint(text, colour, self.colour)

    def head(self, text: str) -> None:
        self.lines += [""] if self.lines else []
        self.line(text, "bold")

    def line(self, text: str, colour: str = "") -> None:
        self.lines.append(self.paint(terminal.writable(text), colour))

    def fit(self, text: str) -> str:
        """The text in one line of the terminal, without its end if it is longer."""
        return text if self.width is None else textwrap.shorten(text, max(self.width, 30), placeholder=" ...")

    def sentence(self, text: str) -> None:
        self.lines += self._table([""], [(text,)], None, None)[1:]

    def pairs(self, rows: list[tuple[str, str]]) -> None:
        self.lines += self._table(["", ""], rows, None, None)[1:]

    def table(self, heads: list[str], rows: Sequence[tuple[str, ...]], colours: dict[str, str],
              below: list[str] | None = None) -> None:
        self.lines += self._table(heads, rows, colours if self.colour else None, below)

    def path(self, path: str, beside: int = 20) -> str:
        """The path, shortened to fit the terminal. `beside`: characters of the other columns."""
        return path if self.width is None else short_path(path, max(self.width - beside, 30))

    def _table(self, heads: list[str], rows: Sequence[tuple[str, ...]], colours: dict[str, str] | None,
               below: list[str] | None) -> list[str]:
        width = None if self.width is None else self.width - len(INDENT)
        rows = [tuple(map(terminal.writable, row)) for row in rows]
        below = below and list(map(terminal.writable, below))
        return [INDENT + line for line in terminal.table(heads, rows, width, colours, below=below, whole=True)]
