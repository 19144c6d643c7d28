# SPDX-License-Identifier: Apache-2.0
"""`anycuda matrix`: what becomes of each call, by caller and installed release."""

from __future__ import annotations

import argparse
from pathlib import Path

from .. import terminal
from ..failure import Failure
from . import data, page, views
from .selection import Selection, values

NAME = "matrix"
SUMMARY = "What becomes of each call: function x CUDA it was built for x CUDA that is there."
_EPILOG = """\
A kind is direct, renamed (another name that means the same), adapted (an adapter converts between two
layouts), emulated (made from other calls), absent or rejected (both are errors that the caller gets).
`calls` is what is called in the runtime or the driver where that is not the function itself; `driver`
the CUDA release whose driver first has it. For the driver's own stub the releases are driver versions,
and the newest cuda.h.

exit status: 0  the matrix was printed
             2  the command itself failed

  anycuda matrix --library cudart --caller 12 --runtime 13 --kind absent,rejected
  anycuda matrix --symbol 'cudaGraph*' --runtime 12.4
  anycuda matrix --summary
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    for option, name, about in (
        ("--library", "NAME", "such as cudart, nvrtc or nvjpeg"),
        ("--symbol", "GLOB", "functions whose name matches, such as 'cudaMem*'"),
        ("--caller", "MAJOR", "the CUDA that the program was built for: 11, 12, 13"),
        ("--runtime", "RELEASE", "the CUDA that is there: 12.4, or 12 for all of it; for cuda a driver"),
        ("--kind", "KIND", "direct, renamed, adapted, emulated, absent, rejected"),
    ):
        parser.add_argument(
            option, metavar=name, action="append", default=[], help=f"{about} (several: a,b)"
        )
    parser.add_argument("--summary", action="store_true", help="counts in place of cells")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="for programs; the schema is documented")
    form.add_argument(
        "--markdown", action="store_true", help="the page of all that does not cross majors"
    )
    parser.add_argument("--file", type=Path, help="read this matrix.json, not the one installed")


def run(arguments: argparse.Namespace) -> int:
    selection = Selection(
        values(arguments.library),
        values(arguments.symbol),
        values(arguments.caller),
        values(arguments.runtime),
        values(arguments.kind),
    )
    matrix = data.load(arguments.file)
    if arguments.markdown:
        if selection or arguments.summary:
            raise Failure("--markdown is the page of the whole matrix: it takes no selection")
        print(page.markdown(matrix), end="")
        return 0
    libraries = selection.apply(matrix)
    if arguments.json:
        print(views.as_json(matrix, libraries, arguments.summary))
        return 0
    colour = terminal.wants_colour()
    if arguments.summary:
        print(views.as_summary(libraries, colour))
    else:
        print(views.as_table(libraries, colour, terminal.width_of()))
    return 0
