# SPDX-License-Identifier: Apache-2.0
"""The command line: `anycuda COMMAND ...`, or `python3 -m anycuda COMMAND ...`."""

from __future__ import annotations

import argparse
import contextlib
import errno
import importlib
import os
import signal
import sys
from collections.abc import Iterable

from . import installation, terminal
from .failure import Failure

# Command -> its module, with NAME, SUMMARY, add_arguments(parser) and run(arguments) -> exit status.
COMMANDS = {"check": "check.command", "patch": "patch", "repair": "repair", "run": "run", "doctor": "doctor",
            "find": "find", "matrix": "matrix.command", "config": "config"}


class _Version(argparse.Action):
    """Reads the version only on request, so that every other option works without an installation."""

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
        argv = sys.argv[1:] if argv is None else argv
        named = [command for command in COMMANDS if argv[:1] == [command]]
        arguments, unknown = command_line(named or COMMANDS).parse_known_args(argv)
        if unknown:  # prints the command's usage, not anycuda's
            arguments.parser.error(f"unrecognized arguments: {' '.join(unknown)}")
        name = f"anycuda {arguments.name}"
        status: int = arguments.run(arguments)
        sys.stdout.flush()
        return status
    except Failure as failure:
        return _failed(name, str(failure))
    except BrokenPipeError:  # the reader of stdout, such as `head`, has ended
        _forget_stdout()
        return 141
    except OSError as error:  # such as a full disk behind stdout
        _forget_stdout()
        if error.filename is None and error.errno in (errno.ENOSPC, errno.EDQUOT):
            return _failed(name, f"the output is incomplete ({error.strerror}): free space for it, or write it "
                                 "elsewhere")
        return _failed(name, f"{f'{error.filename}: ' if error.filename else ''}{error.strerror or error}")
    except KeyboardInterrupt:
        return 130


def command_line(names: Iterable[str] = COMMANDS) -> argparse.ArgumentParser:
    """The parser for these commands. Only they are imported, since imports are half of a command's start time."""
    parser = argparse.ArgumentParser(
        prog="anycuda", description="Tools for the stub libraries of anycuda."
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
        if signal.getsignal(number) == signal.SIG_DFL:  # not under nohup
            signal.signal(number, _end)
    for stream in ("stdout", "stderr"):
        if getattr(sys, stream) is None:  # closed by the parent process (>&-)
            setattr(sys, stream, open(os.devnull, "w"))  # noqa: SIM115 (stays open)


def _end(number: int, _: object) -> None:
    """Ends on a signal like on Ctrl-C, so that unpacked files are deleted."""
    raise SystemExit(128 + number)


def _failed(name: str, text: str) -> int:
    print(terminal.writable(f"{name}: {text}", sys.stderr), file=sys.stderr)
    return 2


def _forget_stdout() -> None:
    """Keeps buffered output from failing again when Python closes stdout."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
