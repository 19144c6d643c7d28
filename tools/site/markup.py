# SPDX-License-Identifier: Apache-2.0
"""Text and lists as Python-Markdown reads them, which mkdocs uses."""

from __future__ import annotations

import re

_ITEM = re.compile(r"( *)([-*]|\d+\.)( +)(?=\S)")
_FENCE = re.compile(r" *(```+)")


def plain(text: str) -> str:
    """Text in which no character is markup, except for code between backticks."""
    pieces = text.split("`")
    pieces[::2] = [re.sub(r"([\\*_|\[\]])", r"\\\1", piece).replace("<", "&lt;") for piece in pieces[::2]]
    return "`".join(pieces)


def indented(text: str) -> str:
    """The contents of a list's item are indented by four, and a blank line comes before the first item. GitHub, for
    which the pages are written, needs neither."""
    lines: list[str] = []
    columns: list[int] = []  # of the contents of each open item
    fence = ""
    before = ""  # the line before, if it is text
    for line in text.splitlines():
        column = len(line) - len(line.lstrip(" "))
        if line.strip() and not fence:
            item = _ITEM.match(line)
            while columns and column < columns[-1] and (item or not before):
                columns.pop()
            if item and column - (columns[-1] if columns else 0) < 4:
                if before and not columns:
                    lines.append("")
                lines.append("    " * len(columns) + item[2] + " " + line[item.end():])
                columns.append(item.end())
                before = line
                continue
        if marks := _FENCE.match(line):
            fence = "" if fence and marks[1].startswith(fence) else fence or marks[1]
        inside = columns and column >= columns[-1]
        lines.append("    " * len(columns) + line[columns[-1]:] if inside else line)
        before = line.strip()
    return "\n".join(lines) + "\n"
