# SPDX-License-Identifier: Apache-2.0
"""`anycuda run`: an unmodified program with the drop-ins, or the preloaded stubs, in front of its CUDA."""

from __future__ import annotations

import argparse
import errno
import os
import signal
import sys
from pathlib import Path

from .. import installation, terminal
from ..analysis import libraries
from ..failure import Failure
from . import environment, program

NAME = "run"
SUMMARY = "Runs a program as it is, with the drop-in libraries (or the preloaded stubs) in front of its CUDA."
_EPILOG = """\
The folder of the drop-ins, which have NVIDIA's names, is put in front of LD_LIBRARY_PATH. With --preload the
stubs are put in front of LD_PRELOAD: that reaches a program whose DT_RPATH names its CUDA, too, and not what
opens a library by name. What is in these variables is kept; the program gets anycuda's process, so its
signals and exit status are its own.

exit status: N    the program's own
             127  no program has that name
             126  the program cannot be run
             2    the command itself failed

  anycuda run -- ./program --its-option
  anycuda run --log info -- python3 script.py
  anycuda run --preload -- ./program
"""
_NOT_FOUND, _NOT_RUN = 127, 126


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.usage = "anycuda run [-h] [--preload] [--log LEVEL] -- CMD ..."
    parser.epilog = _EPILOG
    parser.add_argument("--preload", action="store_true", help="LD_PRELOAD, not LD_LIBRARY_PATH")
    parser.add_argument("--log", metavar="LEVEL", help="ANYCUDA_LOG for the program: warn, info, debug, a file")
    parser.add_argument("command", metavar="CMD", nargs=argparse.REMAINDER, help="the program and its arguments")


def run(arguments: argparse.Namespace) -> int:
    words = arguments.command[1:] if arguments.command[:1] == ["--"] else arguments.command
    if not words:
        raise Failure("no program: anycuda run -- CMD ...")
    path = program.find(words[0], os.environ)
    if path is None:
        where = "" if "/" in words[0] else " in PATH"
        return _say(f"there is no {words[0]}{where}", _NOT_FOUND)
    if not os.path.isfile(path) or not os.access(path, os.X_OK):
        return _say(f"{path} is {program.why_not(path)}", _NOT_RUN)
    installed, table = installation.find(), libraries.table()
    changes = environment.changes(installed, table, arguments.preload, arguments.log, os.environ)
    about = program.about(path, os.environ)
    for warning in environment.warnings(about, installed, table, arguments.preload):
        _say(f"warning: {warning}", 0)
    return _exec(path, words, {**os.environ, **changes}, about)


def _exec(path: Path, words: list[str], variables: dict[str, str], about: program.Program) -> int:
    sys.stdout.flush()
    # Python ignores these, and what is ignored stays so in the program.
    for name in ("SIGPIPE", "SIGXFSZ"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    try:
        os.execve(path, words, variables)
    except OSError as error:
        if error.errno == errno.ENOENT:
            return _say(f"{path} cannot be run: its interpreter {about.interpreter or ''} is missing", _NOT_FOUND)
        reason = ("no program that this machine can run, and no script that begins with #!"
                  if error.errno == errno.ENOEXEC else error.strerror)
        return _say(f"{path} cannot be run: {reason}", _NOT_RUN)
    raise AssertionError("execve came back")


def _say(text: str, status: int) -> int:
    print(terminal.writable(f"anycuda run: {text}", sys.stderr), file=sys.stderr, flush=True)
    return status
