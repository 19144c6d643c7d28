# SPDX-License-Identifier: Apache-2.0
"""The commands and options, read from argparse's definitions."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from anycuda.__main__ import command_line

_STATUS = "exit status:"


@dataclass(frozen=True)
class Argument:
    """`names`: empty for a positional argument. `value`: the name of a positional argument, or of an option's value;
    "" for an option without a value."""

    names: tuple[str, ...]
    value: str
    choices: tuple[str, ...]
    help: str


@dataclass(frozen=True)
class Command:
    """`name`: "" for anycuda itself. `notes` (paragraphs), `statuses` (exit status, its meaning) and `examples` (shell
    commands) come from the end of --help."""

    name: str
    summary: str
    usage: str
    arguments: tuple[Argument, ...]
    notes: tuple[str, ...]
    statuses: tuple[tuple[str, str], ...]
    examples: tuple[str, ...]

    @property
    def options(self) -> tuple[Argument, ...]:
        return tuple(argument for argument in self.arguments if argument.names)

    @property
    def positionals(self) -> tuple[Argument, ...]:
        return tuple(argument for argument in self.arguments if not argument.names)


def commands() -> tuple[Command, ...]:
    """anycuda itself, then its commands in order."""
    top = command_line()
    (subparsers,) = (action for action in top._actions if isinstance(action, argparse._SubParsersAction))
    return (_command("", top), *(_command(name, parser) for name, parser in subparsers.choices.items()))


def _command(name: str, parser: argparse.ArgumentParser) -> Command:
    usage = " ".join(parser.format_usage().removeprefix("usage: ").split())
    actions = [action for action in parser._actions
               if not isinstance(action, argparse._SubParsersAction) and action.help != argparse.SUPPRESS]
    return Command(name, parser.description or "", usage, tuple(_argument(parser, action) for action in actions),
                   *_epilog(parser.epilog or ""))


def _epilog(text: str) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...], tuple[str, ...]]:
    """Notes, exit statuses and examples. The statuses are the paragraph that begins with "exit status:". Indented
    paragraphs are examples, all others are notes."""
    notes: list[str] = []
    statuses: list[tuple[str, str]] = []
    examples: list[str] = []
    for paragraph in text.strip("\n").split("\n\n"):
        if paragraph.startswith(_STATUS):
            statuses += _statuses(paragraph.removeprefix(_STATUS))
        elif paragraph.startswith(" "):
            examples += [line.strip() for line in paragraph.splitlines()]
        elif paragraph:
            notes.append(" ".join(paragraph.split()))
    return tuple(notes), tuple(statuses), tuple(examples)


def _statuses(text: str) -> list[tuple[str, str]]:
    """Splits lines of a status, two blanks and a meaning. A line without two blanks continues the meaning."""
    statuses: list[tuple[str, str]] = []
    for line in text.splitlines():
        number, _, meaning = line.strip().partition("  ")
        if meaning:
            statuses.append((number, meaning.strip()))
        else:
            statuses[-1] = (statuses[-1][0], f"{statuses[-1][1]} {line.strip()}")
    return statuses


def _argument(parser: argparse.ArgumentParser, action: argparse.Action) -> Argument:
    formatter = parser._get_formatter()
    value = str(action.metavar or action.dest)
    if action.option_strings:
        value = formatter._format_args(action, action.dest.upper()) if action.nargs != 0 else ""
    text = formatter._expand_help(action) if action.help else ""
    return Argument(tuple(action.option_strings), value, tuple(map(str, action.choices or ())), text)
