# SPDX-License-Identifier: Apache-2.0
"""The command line: `anycuda COMMAND ...`, or `python3 -m anycuda COMMAND ...`."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import signal
import sys
from collections.abc import Iterable

from . import installation, terminal
from .failure import Failure

# Command -> its module, with NAME, SUMMARY, add_arguments(parser) and run(arguments) -> exit status.
COMMANDS = {"check": "check.command", "patch": "patch", "repair": "repair", "run": "run", "doctor": "doctor",
            "matrix": "matrix.command", "config": "config"}


class _Version(argparse.Action):
    """Looked up only when asked for: every other option works without an installation."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        try:
            print(f"anycuda {installation.find().version}")
        except Failure as failure:
            parser.exit(2, f"anycuda: {failure}\n")
        parser.exit(0)


def main(argv: list[str] | None = None) -> int:
    _prepare()
    name = "anycuda"
    try:
        words = sys.argv[1:] if argv is None else argv
        named = [command for command in COMMANDS if words[:1] == [command]]
        arguments, unknown = command_line(named or COMMANDS).parse_known_args(words)
        if unknown:  # with the usage of the command, not of all
            arguments.parser.error(f"unrecognized arguments: {' '.join(unknown)}")
        name = f"anycuda {arguments.name}"
        status = arguments.run(arguments)
        sys.stdout.flush()
        return status
    except Failure as failure:
        return _failed(name, str(failure))
    except BrokenPipeError:  # the reader of stdout, such as `head`, has seen enough
        _forget_stdout()
        return 141
    except OSError as error:  # a full disk behind stdout, for one
        _forget_stdout()
        return _failed(name, f"{f'{error.filename}: ' if error.filename else ''}{error.strerror or error}")
    except KeyboardInterrupt:
        return 130


def command_line(names: Iterable[str] = COMMANDS) -> argparse.ArgumentParser:
    """With these commands. Only they are imported, which is half of the time that a command takes to start."""
    parser = argparse.ArgumentParser(
        prog="anycuda", description="Tools around the stub libraries of anycuda."
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name in names:
        command = importlib.import_module(f".{COMMANDS[name]}", __package__)
        added = commands.add_parser(
            command.NAME, help=command.SUMMARY, description=command.SUMMARY, allow_abbrev=False
        )
        command.add_arguments(added)
        added.set_defaults(run=command.run, name=command.NAME, parser=added)
    return parser


def _prepare() -> None:
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:  # and not under nohup
            signal.signal(number, _end)
    for stream in ("stdout", "stderr"):
        if getattr(sys, stream) is None:  # closed by who started this (>&-)
            setattr(sys, stream, open(os.devnull, "w"))  # noqa: SIM115 (stays open)


def _end(number: int, _: object) -> None:
    """When it is told to end: what it has unpacked goes with it, as after Ctrl-C."""
    raise SystemExit(128 + number)


def _failed(name: str, text: str) -> int:
    print(terminal.writable(f"{name}: {text}", sys.stderr), file=sys.stderr)
    return 2


def _forget_stdout() -> None:
    """What is still buffered must not fail again when Python closes it."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
