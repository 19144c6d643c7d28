# SPDX-License-Identifier: Apache-2.0
"""`anycuda run`: runs an unmodified program with the drop-ins, or with the preloaded stubs."""

from __future__ import annotations

import argparse
import errno
import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

from .. import installation, terminal
from ..analysis import libraries
from ..failure import Failure
from . import environment, program

NAME = "run"
SUMMARY = "Runs an unmodified program with the drop-ins (or the preloaded stubs) in place of its CUDA libraries."
_EPILOG = """\
Adds the folder of the drop-ins, which have NVIDIA's names, to the front of LD_LIBRARY_PATH. With --preload, adds
the stubs to the end of LD_PRELOAD instead: this also works for a program whose DT_RPATH names its CUDA, but not
for libraries that are opened by name. Existing entries are kept. The program replaces anycuda's process, so
signals reach it directly and its exit status is returned.

exit status: N    the exit status of the program
             127  no program has that name
             126  the program cannot be run
             2    the command failed

  anycuda run -- ./program --its-option
  anycuda run --log info -- python3 script.py
  anycuda run --preload -- ./program
"""
_NOT_FOUND, _NOT_RUN = 127, 126


@dataclass(frozen=True)
class Options:
    preload: bool
    log: str | None
    command: tuple[str, ...]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.usage = "anycuda run [-h] [--preload] [--log LEVEL] -- CMD ..."
    parser.epilog = _EPILOG
    parser.add_argument("--preload", action="store_true", help="use LD_PRELOAD instead of LD_LIBRARY_PATH")
    parser.add_argument("--log", metavar="LEVEL", help="set ANYCUDA_LOG for the program: warn, info, debug or a file")
    parser.add_argument("command", metavar="CMD", nargs=argparse.REMAINDER, help="the program and its arguments")


def run(arguments: argparse.Namespace) -> int:
    options = Options(arguments.preload, arguments.log, tuple(arguments.command))
    argv = options.command[1:] if options.command[:1] == ("--",) else options.command
    if not argv:
        raise Failure("no program given: use anycuda run -- CMD ...")
    path = program.find(argv[0], os.environ)
    if path is None:
        where = "" if "/" in argv[0] else " in PATH"
        return _report(f"{argv[0]} was not found{where}: check its name", _NOT_FOUND)
    if not os.path.isfile(path) or not os.access(path, os.X_OK):
        return _report(f"{path} cannot be run: it is {program.why_not(path)}", _NOT_RUN)
    installed, table = installation.find(), libraries.table()
    facts = program.examine(path, os.environ)
    folder, problem = None, ""
    if not options.preload:
        folder, problem = environment.serve_unnumbered(facts, installed, table, os.environ)
    changes = environment.changes(installed, table, options.preload, options.log, os.environ, folder)
    for warning in [*([problem] if problem else []),
                    *environment.warnings(facts, installed, table, options.preload)]:
        _report(f"warning: {warning}", 0)
    return _exec(path, argv, {**os.environ, **changes}, facts)


def _exec(path: Path, argv: tuple[str, ...], variables: dict[str, str], facts: program.Program) -> int:
    sys.stdout.flush()
    # Python ignores these signals, and the program would inherit that.
    for name in ("SIGPIPE", "SIGXFSZ"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    try:
        os.execve(path, argv, variables)
    except OSError as error:
        if error.errno == errno.ENOENT:
            interpreter = " ".join(filter(None, ("its interpreter", facts.interpreter)))
            return _report(f"{path} cannot be run: {interpreter} is missing", _NOT_FOUND)
        reason = ("it is neither a program for this machine nor a script that begins with #!"
                  if error.errno == errno.ENOEXEC else error.strerror)
        return _report(f"{path} cannot be run: {reason}", _NOT_RUN)
    raise AssertionError("execve returned")


def _report(text: str, status: int) -> int:
    print(terminal.writable(f"anycuda run: {text}", sys.stderr), file=sys.stderr, flush=True)
    return status
