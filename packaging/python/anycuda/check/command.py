# SPDX-License-Identifier: Apache-2.0
"""`anycuda check`: the outcome of a binary's CUDA calls on each CUDA, with the stubs in place."""

from __future__ import annotations

import argparse
from pathlib import Path

from .. import terminal
from ..analysis import libraries
from ..analysis.reading_progress import Progress
from ..failure import Failure
from ..matrix import data
from . import as_json, check_report, findings, here
from .cells import FAILS, UNCHECKED, UNKNOWN, Cells, CodeFailure
from .input_verdict import VerdictKind
from .options import ALLOWED, Options, from_arguments, question

NAME = "check"
SUMMARY = "Reports the outcome of the CUDA calls of a file, folder or wheel on each CUDA, with the stubs in place."
_TIED, _NOT_LOADED, _IN_PART = VerdictKind.TIED, CodeFailure.NOT_LOADED, CodeFailure.IN_PART
_EPILOG = f"""\
By default, check covers all releases from CUDA 11.8 and all drivers from 520. --runtime selects releases; cuDNN
and NCCL have their own (nccl-2.28, cudnn-9). The report names the libraries that the selection leaves out.
Every function that the file references counts, even if the file never calls it; exclude functions with --ignore
and kinds with --allow. The kinds are those of `anycuda matrix` and two more. {UNCHECKED}: the outcome depends on
the CUDA that the file was built for, and the file does not record it (use --built-for or `anycuda patch`).
{UNKNOWN}: no stub has the function. A file is {_TIED} to a CUDA if it needs or opens one of its libraries for
which anycuda has no stub. {_NOT_LOADED}: device code does not load. {_IN_PART}: device code loads in some files
of a wheel only. The last line of the report is the verdict.

--gpu and --driver check whether the device code loads on that GPU, with that driver, or on both together;
without --runtime, check covers only that. --here checks this machine.

exit status: 0  everything runs on every CUDA, driver and GPU checked
             1  a function is {', '.join(FAILS[:-1])} or {FAILS[-1]}, the file is {_TIED} to another CUDA, a
                CUDA of --runtime does not run on a named driver, or device code or a static runtime does not run
             2  a file could not be read, or the command failed
             3  the answer is unknown (--gpu, --driver, --here, or device code with --runtime)

  anycuda check program.so
  anycuda check dist/*.whl --runtime 12,13
  anycuda check plugin.so --runtime 11.8 --ignore 'cudaGraph*'
  anycuda check plugin.so --gpu sm_120 --driver 550
  anycuda check plugin.so --here
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("files", metavar="FILE|WHEEL|FOLDER", nargs="+", type=Path,
                        help="binary, wheel (all binaries in it) or folder (its binaries, and each wheel separately)")
    for options, name, about in (
        (("--runtime",), "RELEASE", "installed release to check: of CUDA (12.4, or 12 for every 12.x), "
         "the driver (535), NCCL (nccl-2.28) or cuDNN (cudnn-9)"),
        (("--gpu",), "GPU", "check whether the device code loads on this GPU: sm_120 or 12.0"),
        (("--driver",), "BRANCH", "check whether a driver of this branch, such as 550, loads the device code and runs "
         "the CUDA of --runtime"),
        (("--library",), "NAME", "check only this library, such as cudart, nvrtc or nvjpeg"),
        (("--allow",), "KIND", f"do not fail because of this kind: {', '.join(ALLOWED)}"),
        (("--ignore",), "GLOB", "do not fail because of these functions, such as 'cudaGraph*'"),
    ):
        parser.add_argument(*options, metavar=name, action="append", default=[], help=f"{about} (several: a,b)")
    parser.add_argument("--built-for", "--caller", metavar="MAJOR", default="",
                        help="CUDA major to assume for files that do not record one: 11, 12, 13")
    parser.add_argument("--here", action="store_true",
                        help="check whether it runs with the driver, GPUs and CUDA libraries of this machine")
    parser.add_argument("--python", metavar="PATH", default="",
                        help="Python whose environment --here checks (default: like anycuda doctor)")
    parser.add_argument("--all", action="store_true", help="list all functions, not only those that fail")
    parser.add_argument("--json", action="store_true", help="print JSON (schema: docs/json.md)")


def run(arguments: argparse.Namespace) -> int:
    options = from_arguments(arguments)
    matrix, machine = data.load(), _machine(options)
    asked = question(options, matrix, machine)
    cells, table, progress = Cells(matrix, asked), libraries.table(), Progress(NAME)
    inputs = []
    for path in options.files:
        inputs += findings.look_into(path, cells, table, progress)
        progress.end()
    if machine:
        for input_ in inputs:
            input_.here = here.evaluate(input_, machine, asked)
    if options.json:
        print(as_json.report(matrix, asked, inputs))
    else:
        print(check_report.report(matrix, asked, inputs, options.every_function, terminal.wants_colour(),
                                  terminal.width_of()))
    return findings.status(inputs, asked)


def _machine(options: Options) -> here.Here | None:
    if options.here and (options.runtimes or options.gpus or options.drivers):
        raise Failure("--here excludes --runtime, --gpu and --driver, since it checks this machine's CUDA, GPUs and "
                      "driver: leave them out")
    if options.python and not options.here:
        raise Failure("--python names the Python for --here: add --here, or leave --python out")
    return here.examine(options.python) if options.here else None
