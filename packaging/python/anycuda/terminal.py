# SPDX-License-Identifier: Apache-2.0
"""Output on a terminal: tables with aligned columns, colours and wrapped last columns, and a status line. By hand,
since the command has no dependencies."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Sequence
from typing import TextIO

_CODES = {"bold": "1", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
GAP = "  "


def wants_colour(stream: TextIO | None = None) -> bool:
    """Is the stream a terminal with colours, not disabled by NO_COLOR (https://no-color.org) or TERM=dumb?"""
    stream = stream or sys.stdout
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


def paint(text: str, colour: str, wanted: bool) -> str:
    code = _CODES.get(colour)
    return f"\033[{code}m{text}\033[0m" if wanted and code else text


def writable(text: str, stream: TextIO | None = None) -> str:
    """The text without control characters and without characters that the stream cannot encode: names of files may
    contain any."""
    stream = stream or sys.stdout
    plain = "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text)
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return plain.encode(encoding, "backslashreplace").decode(encoding)


def width_of(stream: TextIO | None = None) -> int | None:
    """The columns of the terminal; None if the output goes to a file, whose lines are not wrapped."""
    stream = stream or sys.stdout
    return shutil.get_terminal_size().columns if stream.isatty() else None


class StatusLine:
    """A line on a terminal that the next one replaces. If the stream is not a terminal, `live` is False, and the caller
    decides what to write."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream or sys.stderr
        self.live = self.stream.isatty()
        self._shown = False

    def show(self, text: str) -> None:
        width = (width_of(self.stream) or 80) - 1
        line = writable(text, self.stream).replace("\n", " ")
        self.stream.write("\r\033[K" + (line if len(line) <= width else line[: width - 3] + "..."))
        self.stream.flush()
        self._shown = True

    def clear(self) -> None:
        """Removes the line; call this before any other output."""
        if self._shown:
            self.stream.write("\r\033[K")
            self.stream.flush()
            self._shown = False


def table(
    heads: list[str],
    rows: Sequence[tuple[str, ...]],
    width: int | None = None,
    colours: dict[str, str] | None = None,
    right: bool = False,
    below: list[str] | None = None,
    whole: bool = False,
) -> list[str]:
    """The lines of a table. Empty columns are left out, and the last one is wrapped to `width`. `colours`: text of a
    cell -> colour; None for a table without colours. `right`: align columns of numbers to the right. `below`: for each
    row a text or "", which is printed under it from the second column on. `whole`: break lines only at blanks, so that
    names of files and commands can be copied."""
    used = [i for i in range(len(heads)) if any(row[i] for row in rows)]
    heads = [heads[i] for i in used]
    rows = [tuple(row[i] for i in used) for row in rows]
    sizes = [max(map(len, column)) for column in zip(heads, *rows)]
    numbers = [right and all(row[i].isdigit() for row in rows) for i in range(len(heads))]
    lines = []
    for number, row in enumerate([tuple(heads), *rows]):
        cells = [
            part.rjust(size) if is_number else part.ljust(size)
            for part, size, is_number in zip(row, sizes, numbers)
        ]
        start = sum(sizes[:-1]) + len(GAP) * (len(sizes) - 1)
        cells[-1], *more = _wrapped(cells[-1], start, width, whole)
        lines.append(GAP.join(_painted(cells, number == 0, colours)).rstrip())
        lines += [" " * start + line for line in more]
        if below and number > 0 and below[number - 1]:
            start = sizes[0] + len(GAP)
            lines += [" " * start + line for line in _wrapped(below[number - 1], start, width, whole)]
    return lines


def _wrapped(text: str, start: int, width: int | None, whole: bool) -> list[str]:
    """The lines of the last column; not wrapped if the terminal is too narrow."""
    if width is None or width - start < 20:
        return [text]
    return textwrap.wrap(text.rstrip(), width - start, break_on_hyphens=not whole,
                         break_long_words=not whole) or [""]


def _painted(cells: list[str], head: bool, colours: dict[str, str] | None) -> list[str]:
    if colours is None:
        return cells
    return [
        paint(cell, "bold" if head else colours.get(cell.strip(), ""), True) for cell in cells
    ]
