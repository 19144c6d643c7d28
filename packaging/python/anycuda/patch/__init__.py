# SPDX-License-Identifier: Apache-2.0
"""`anycuda patch`: edits programs and libraries so that they need the stubs instead of NVIDIA's libraries
(docs/patch.md)."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from .. import terminal
from ..elf import ElfError, NotElf
from ..failure import Failure
from . import files
from .decide import NothingToPatch
from .options import Options

NAME = "patch"
_START = re.compile(r"/|\$(ORIGIN|\{ORIGIN\})(/|$)")
SUMMARY = "Edits programs and libraries so that they need the stubs instead of NVIDIA's libraries; --undo reverts it."
_EPILOG = """\
The dynamic linker must find the stubs: --copy-stubs copies them, --rpath names their folder. Without these options,
patch changes a file only if the file's search path, the file's folder or the system's folders have the stubs.

Files that do not use CUDA are skipped; if none of the files uses CUDA, that is an error.

exit status: 0  every file is patched (or restored)
             2  a file could not be patched; it is unchanged

  anycuda patch --copy-stubs program
  anycuda patch lib/*.so --rpath '$ORIGIN/stubs'
  anycuda patch --undo program
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("files", nargs="+", metavar="FILE", type=Path,
                        help="program or shared library; edited in place")
    parser.add_argument("--undo", action="store_true", help="restore the original file, byte for byte")
    parser.add_argument("--rpath", action="append", default=[], metavar="DIR",
                        help="folder where the program searches for the stubs, also one of another machine; $ORIGIN is "
                             "the file's folder (may be repeated)")
    parser.add_argument("--copy-stubs", action="store_true", help="copy the stubs into the folder of each file")
    parser.add_argument("--open-at-load", action="store_true",
                        help="the stubs open NVIDIA's libraries when the file is loaded, not at the first call")
    parser.add_argument("--built-for", choices=("11", "12", "13"), metavar="MAJOR", default="",
                        help="CUDA major to assume for files that do not record one: 11, 12, 13")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the result there and leave FILE unchanged")
    parser.add_argument("--dry-run", action="store_true", help="report the changes without making them")


def run(arguments: argparse.Namespace) -> int:
    options = _options(arguments)
    failed, done, skipped = False, 0, 0
    for path in options.files:
        try:
            lines = files.process(path, options)
            done += 1
        except NothingToPatch as nothing:
            if len(options.files) == 1:
                raise
            lines = [f"{nothing} (skipped)"]
            skipped += 1
        except (Failure, ElfError) as error:
            hint = ": name a program or shared library" if isinstance(error, NotElf) else ""
            print(terminal.writable(f"anycuda patch: {error}{hint}", sys.stderr), file=sys.stderr)
            failed = True
            continue
        print(terminal.writable("\n".join(lines)), flush=True)
    if skipped and not done:
        print(f"anycuda patch: nothing to patch in {'the others' if failed else 'any of the files'}", file=sys.stderr)
    return 2 if failed or not done else 0


def _options(arguments: argparse.Namespace) -> Options:
    if arguments.output and len(arguments.files) > 1:
        raise Failure("--output works with one FILE only: patch the files one by one")
    if arguments.undo and (arguments.rpath or arguments.copy_stubs or arguments.built_for
                           or arguments.open_at_load):
        raise Failure("--undo can be combined only with --output and --dry-run: leave out the other options")
    for folder in arguments.rpath:
        if not _START.match(folder) or any(part in folder for part in (":", "\0")):
            raise Failure(f"--rpath {folder} is not a valid folder: use an absolute path or one that begins with "
                          "$ORIGIN (in single quotes), without a colon; repeat --rpath for several folders")
    return Options(tuple(arguments.rpath), arguments.built_for, arguments.copy_stubs, arguments.open_at_load,
                   arguments.undo, arguments.output, arguments.dry_run, tuple(arguments.files))
