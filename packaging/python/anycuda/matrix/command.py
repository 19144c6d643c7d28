# SPDX-License-Identifier: Apache-2.0
"""`anycuda matrix`: prints the outcome of each call by caller and installed release."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from .. import terminal
from ..failure import Failure
from . import data, page, views
from .selection import Selection, values

NAME = "matrix"
SUMMARY = "Prints the outcome of each call: function x CUDA that the program was built for x CUDA installed."
_EPILOG = """\
The kinds are direct, renamed (another name with the same meaning), adapted (an adapter converts between two
layouts), emulated (made from other calls), absent and rejected (the call returns an error). `calls` is the
function that is called in the runtime or driver, if it has another name; `driver` is the CUDA release whose
driver first has it. For the driver's stub, the releases are driver branches and the newest cuda.h.

exit status: 0  the matrix was printed
             2  the command failed

  anycuda matrix --library cudart --caller 12 --runtime 13 --kind absent,rejected
  anycuda matrix --symbol 'cudaGraph*' --runtime 12.4
  anycuda matrix --summary
"""


@dataclass(frozen=True)
class Options:
    selection: Selection
    summary: bool
    json: bool
    markdown: bool
    file: Path | None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    for option, name, about in (
        ("--library", "NAME", "print only this library, such as cudart, nvrtc or nvjpeg"),
        ("--symbol", "GLOB", "print only matching functions, such as 'cudaMem*'"),
        ("--caller", "MAJOR", "CUDA major that the program was built for: 11, 12, 13"),
        ("--runtime", "RELEASE", "CUDA release installed: 12.4, or 12 for every 12.x; for cuda a driver branch"),
        ("--kind", "KIND", "print only these: direct, renamed, adapted, emulated, absent, rejected"),
    ):
        parser.add_argument(
            option, metavar=name, action="append", default=[], help=f"{about} (several: a,b)"
        )
    parser.add_argument("--summary", action="store_true", help="print counts instead of cells")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON (schema: docs/json.md)")
    form.add_argument(
        "--markdown", action="store_true", help="print the page of all calls that do not work across majors"
    )
    parser.add_argument("--file", type=Path, help="read this matrix.json instead of the installed one")


def run(arguments: argparse.Namespace) -> int:
    selection = Selection(*map(values, (arguments.library, arguments.symbol, arguments.caller, arguments.runtime,
                                        arguments.kind)))
    options = Options(selection, arguments.summary, arguments.json, arguments.markdown, arguments.file)
    matrix = data.load(options.file)
    if options.markdown:
        if options.selection or options.summary:
            raise Failure("--markdown prints the page of the whole matrix: leave out options that select a part")
        print(page.markdown(matrix), end="")
        return 0
    libraries = options.selection.apply(matrix)
    if options.json:
        print(views.as_json(matrix, libraries, options.summary))
        return 0
    colour = terminal.wants_colour()
    if options.summary:
        print(views.as_summary(libraries, colour))
    else:
        print(views.as_table(libraries, colour, terminal.width_of()))
    return 0
