# SPDX-License-Identifier: Apache-2.0
"""A table in the output of anycuda-demo -> a diagram in the language of Graphviz."""

from __future__ import annotations

import re
from html import escape

PROGRAM = "nvrtc_compile"  # whose table is shown
TITLE = "Programs built for one CUDA, on machines with another"


def rows(output: str, program: str = PROGRAM) -> list[list[str]]:
    """The cells of that program's first table, its head included."""
    section = re.search(rf"^{program}: .*\n\n((?: .*\|.*\n)+)", output, re.MULTILINE)
    if not section:
        raise ValueError(f"the demo's output has no table of {program}: {output[-1000:]}")
    table = [[cell.strip() for cell in line.split("|")] for line in section[1].splitlines()]
    wrong = [cell for row in table for cell in row[1:] if cell.startswith(("WRONG", "skipped")) or not cell]
    if wrong:
        raise ValueError(f"the demo's table is incomplete: {wrong[0]}")
    return table


def source(table: list[list[str]]) -> str:
    head, *machines = table
    lines = [[_cell(cell, "$page", bold=True) for cell in head]]
    for row in machines:
        lines.append([_cell(row[0], "$page", bold=True), *(_cell(cell, _colour(cell)) for cell in row[1:])])
    body = "\n".join(f"<TR>{''.join(line)}</TR>" for line in lines)
    return f"""digraph "{TITLE}" {{
  comment="{_in_words(head, machines)}"
  pad=0.05
  table [shape=plain style="" label=<<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="4" CELLPADDING="8">
{body}
</TABLE>>]
}}
"""


def _cell(text: str, colour: str, bold: bool = False) -> str:
    written = f"<B>{escape(text)}</B>" if bold else escape(text)
    return f'<TD ALIGN="LEFT" STYLE="rounded" BGCOLOR="{colour}">{written}</TD>'


def _colour(cell: str) -> str:
    """That of the CUDA which served the program."""
    served = re.search(r" (\d+)\.\d+$", cell)
    return f"$cuda{served[1]}" if served else "$bad"


def _in_words(head: list[str], machines: list[list[str]]) -> str:
    return " ".join("; ".join(f"{name}: {cell}" for name, cell in zip(head, row)) + "." for row in machines)
