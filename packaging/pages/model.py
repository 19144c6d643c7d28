"""What the command line consists of, read from argparse's own definitions."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from anycuda.__main__ import command_line


@dataclass(frozen=True)
class Argument:
    """`names` is empty for a positional argument, which `value` names; it names what follows an option, "" where
    nothing does."""

    names: tuple[str, ...]
    value: str
    choices: tuple[str, ...]
    help: str


@dataclass(frozen=True)
class Command:
    """`name` is "" for anycuda itself."""

    name: str
    summary: str
    usage: str
    arguments: tuple[Argument, ...]

    @property
    def options(self) -> tuple[Argument, ...]:
        return tuple(argument for argument in self.arguments if argument.names)

    @property
    def positionals(self) -> tuple[Argument, ...]:
        return tuple(argument for argument in self.arguments if not argument.names)


def commands() -> tuple[Command, ...]:
    """anycuda itself, then its commands in their order."""
    top = command_line()
    (subparsers,) = (action for action in top._actions if isinstance(action, argparse._SubParsersAction))
    return (_command("", top), *(_command(name, parser) for name, parser in subparsers.choices.items()))


def _command(name: str, parser: argparse.ArgumentParser) -> Command:
    usage = " ".join(parser.format_usage().removeprefix("usage: ").split())
    actions = [action for action in parser._actions
               if not isinstance(action, argparse._SubParsersAction) and action.help != argparse.SUPPRESS]
    return Command(name, parser.description or "", usage, tuple(_argument(parser, action) for action in actions))


def _argument(parser: argparse.ArgumentParser, action: argparse.Action) -> Argument:
    formatter = parser._get_formatter()
    value = str(action.metavar or action.dest)
    if action.option_strings:
        value = formatter._format_args(action, action.dest.upper()) if action.nargs != 0 else ""
    text = formatter._expand_help(action) if action.help else ""
    return Argument(tuple(action.option_strings), value, tuple(map(str, action.choices or ())), text)
