# SPDX-License-Identifier: Apache-2.0
"""`anycuda patch`: a program or library that needs NVIDIA's libraries, made to need the stubs (docs/patch.md)."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from .. import terminal
from ..elf import ElfError
from ..failure import Failure
from . import files
from .decide import NothingToPatch
from .wanted import Wanted

NAME = "patch"
_START = re.compile(r"/|\$(ORIGIN|\{ORIGIN\})(/|$)")
SUMMARY = "Makes programs and libraries need the stubs in place of NVIDIA's libraries; --undo takes it back."
_EPILOG = """\
A file that uses no CUDA is passed over; where no file uses CUDA, that is an error.

exit status: 0  every file is as it was asked for
             2  something could not be done; that file is as it was

  anycuda patch program
  anycuda patch lib/*.so --rpath '$ORIGIN/stubs'
  anycuda patch --undo program
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("files", nargs="+", metavar="FILE", type=Path,
                        help="a program or shared library; changed in its place")
    parser.add_argument("--undo", action="store_true", help="the file as it was, byte for byte")
    parser.add_argument("--rpath", action="append", default=[], metavar="DIR",
                        help="a folder where the program looks for the stubs; $ORIGIN is that of the file (default: "
                             "$ORIGIN; may be given again)")
    parser.add_argument("--copy-stubs", action="store_true", help="put the stubs beside each file")
    parser.add_argument("--built-for", choices=("11", "12", "13"), metavar="MAJOR", default="",
                        help="the CUDA whose headers it was compiled with (11, 12, 13), where the file does not say")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the result there, and leave FILE as it is")
    parser.add_argument("--dry-run", action="store_true", help="say what would be done")


def run(arguments: argparse.Namespace) -> int:
    wanted = _wanted(arguments)
    failed, done, passed_over = False, 0, 0
    for path in arguments.files:
        try:
            lines = files.process(path, wanted)
            done += 1
        except NothingToPatch as nothing:
            if len(arguments.files) == 1:
                raise
            lines = [f"{nothing} (passed over)"]
            passed_over += 1
        except (Failure, ElfError) as error:
            print(terminal.writable(f"anycuda patch: {error}", sys.stderr), file=sys.stderr)
            failed = True
            continue
        print(terminal.writable("\n".join(lines)), flush=True)
    if passed_over and not done:
        print(f"anycuda patch: nothing to patch in {'the others' if failed else 'any of the files'}", file=sys.stderr)
    return 2 if failed or not done else 0


def _wanted(arguments: argparse.Namespace) -> Wanted:
    if arguments.output and len(arguments.files) > 1:
        raise Failure("--output is for one FILE")
    if arguments.undo and (arguments.rpath or arguments.copy_stubs or arguments.built_for):
        raise Failure("--undo goes with --output and --dry-run alone")
    for folder in arguments.rpath:
        if not _START.match(folder) or any(part in folder for part in (":", "\0")):
            raise Failure(f"--rpath {folder}: an absolute folder, or one that begins with $ORIGIN (in single quotes), "
                          "without a colon; several are given one by one")
    return Wanted(tuple(arguments.rpath), arguments.built_for, arguments.copy_stubs, arguments.undo, arguments.output,
                  arguments.dry_run)
