# SPDX-License-Identifier: Apache-2.0
"""The reference of the anycuda command: a page for each command, with what its --help says."""

from __future__ import annotations

import textwrap

import markup
from model import Argument, Command
from model import commands as all_commands


def pages() -> dict[str, str]:
    """Name -> text: anycuda, anycuda-check, ..."""
    top, *named = all_commands()
    rows = [(f"[{command.name}](anycuda-{command.name}.md)", command.summary) for command in named]
    first = page(top) + "\n## Commands\n\n" + _table(("command", ""), rows)
    return {"anycuda": first, **{f"anycuda-{command.name}": page(command) for command in named}}


def page(command: Command) -> str:
    name = f"anycuda {command.name}".strip()
    parts = [f"# {name}", markup.plain(command.summary), _usage(command), *map(markup.plain, command.notes)]
    for title, arguments in (("Arguments", command.positionals), ("Options", command.options)):
        if arguments:
            rows = [(_term(argument), markup.plain(argument.help)) for argument in arguments]
            parts.append(f"## {title}\n\n" + _table((title.lower()[:-1], ""), rows).rstrip())
    if command.statuses:
        rows = [(status, markup.plain(meaning)) for status, meaning in command.statuses]
        parts.append("## Exit status\n\n" + _table(("status", ""), rows).rstrip())
    if command.examples:
        parts.append("## Examples\n\n" + "\n".join(f"    {line}" for line in command.examples))
    return "\n\n".join(parts) + "\n"


def _usage(command: Command) -> str:
    return "\n".join(textwrap.wrap(command.usage, 110, initial_indent="    ", subsequent_indent=" " * 8,
                                   break_long_words=False, break_on_hyphens=False))


def _term(argument: Argument) -> str:
    value = f" {argument.value}" if argument.value else ""
    return ", ".join(f"`{name}{value}`" for name in argument.names) or f"`{argument.value}`"


def _table(head: tuple[str, ...], rows: list[tuple[str, str]]) -> str:
    return "".join(f"| {' | '.join(line)} |\n" for line in (head, ("---",) * len(head), *rows))
