# SPDX-License-Identifier: Apache-2.0
"""`anycuda check`: the outcome of a binary's CUDA calls on each CUDA, with the stubs in place."""

from __future__ import annotations

import argparse
import os
import re
from dataclasses import replace
from pathlib import Path

from .. import terminal
from ..analysis import gpus, libraries
from ..analysis.reading_progress import Progress
from ..failure import Failure
from ..matrix import data
from ..matrix.selection import Selection, values
from . import as_json, check_report, describe_input, driver_rule, findings, here
from .cells import FAILS, UNCHECKED, UNKNOWN, Asked, Cells
from .findings import DEVICE_CODE, IN_PART
from .input_verdict import VerdictKind

NAME = "check"
SUMMARY = "Reports the outcome of the CUDA calls of a file, folder or wheel on each CUDA, with the stubs in place."
_TIED = VerdictKind.TIED
ALLOWED = (*FAILS, _TIED, DEVICE_CODE, IN_PART)
# CUDA 11.7 and its driver; --runtime 11.7,515 checks them.
_NOT_BY_DEFAULT = ("11.7", "515")
_EPILOG = f"""\
By default, check covers all releases from CUDA 11.8 and all drivers from 520. --runtime selects releases; cuDNN
and NCCL have their own (nccl-2.28, cudnn-9). The report names the libraries that the selection leaves out.
Every function that the file references counts, even if the file never calls it; exclude functions with --ignore
and kinds with --allow. The kinds are those of `anycuda matrix` and two more. {UNCHECKED}: the outcome depends on
the CUDA that the file was built for, and the file does not record it (use --built-for or `anycuda patch`).
{UNKNOWN}: no stub has the function. A file is {_TIED} to a CUDA if it needs or opens one of its libraries for
which anycuda has no stub. {DEVICE_CODE}: device code does not load. {IN_PART}: device code loads in some files
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
    matrix, machine = data.load(), _machine(arguments)
    asked = _asked(arguments, matrix, machine)
    cells, table, progress = Cells(matrix, asked), libraries.table(), Progress(NAME)
    found = []
    for path in arguments.files:
        found += findings.look_into(path, cells, table, progress)
        progress.end()
    if machine:
        for one in found:
            one.here = here.verdict_of(one, machine, asked)
    if arguments.json:
        print(as_json.report(matrix, asked, found))
    else:
        print(check_report.report(matrix, asked, found, arguments.all, terminal.wants_colour(), terminal.width_of()))
    return findings.status(found, asked)


def _machine(arguments: argparse.Namespace) -> here.Here | None:
    if arguments.here and (arguments.runtime or arguments.gpu or arguments.driver):
        raise Failure("--here excludes --runtime, --gpu and --driver, since it checks this machine's CUDA, GPUs and "
                      "driver: leave them out")
    if arguments.python and not arguments.here:
        raise Failure("--python names the Python for --here: add --here, or leave --python out")
    return here.look(arguments.python) if arguments.here else None


def _asked(arguments: argparse.Namespace, matrix: data.Matrix, machine: here.Here | None) -> Asked:
    wanted = Selection(libraries=values(arguments.library), runtimes=values(arguments.runtime))
    wanted.apply(matrix._replace(libraries={name: library._replace(runs=[])
                                            for name, library in matrix.libraries.items()}))
    majors = sorted({caller for library in matrix.libraries.values() for caller in library.callers if caller.isdigit()})
    if arguments.built_for and arguments.built_for not in majors:
        raise Failure(f"--built-for {arguments.built_for} is not a known CUDA major: use one of {', '.join(majors)}")
    allowed = values(arguments.allow)
    for kind in allowed:
        if kind not in ALLOWED:
            raise Failure(f"--allow {kind} is not a known kind: use one of {', '.join(ALLOWED)}")

    def counts(release: str) -> bool:
        if not wanted.runtimes:
            return release not in _NOT_BY_DEFAULT
        return bool({release, data.major_of(release)} & set(wanted.runtimes))

    architectures, branches = tuple(map(_gpu, values(arguments.gpu))), tuple(map(_branch, values(arguments.driver)))
    if machine:
        wanted.runtimes = [*machine.releases, *_nearest((machine.branch,), matrix)] or [""]
    elif architectures or branches:
        wanted.runtimes = [*wanted.runtimes, *_nearest(branches, matrix)] or [""]  # which no release has
    releases = list(filter(counts, describe_input.every_release(matrix)))
    own = dict.fromkeys(release for library in matrix.libraries.values() if library.own_releases
                        for release in filter(counts, library.runtimes))
    # The matrix lists the newest cuda.h among the drivers; it is not a driver.
    drivers = [driver for driver in describe_input.every_release(matrix, "driver")
               if "." not in driver and counts(driver)]
    asked = Asked(tuple(releases), tuple(drivers), tuple(wanted.libraries), arguments.built_for, tuple(allowed),
                  tuple(values(arguments.ignore)), tuple(own), architectures, branches,
                  tuple(values(arguments.runtime)), machine is not None)
    if not (asked.releases and asked.all_named_drivers):
        return asked
    return replace(asked, forward_compat=driver_rule.is_declared(os.environ.get(driver_rule.VARIABLE, "")))


def _gpu(text: str) -> int:
    """The number 90 from sm_90, 90 or 9.0."""
    found = re.fullmatch(r"(?:sm_)?(?:([1-9]\d{1,2})|([1-9]\d?)\.(\d))", text)
    if found is None:
        raise Failure(f"--gpu {text} is not a GPU architecture: use the form sm_90 or 9.0 (nvidia-smi "
                      "--query-gpu=compute_cap prints it)")
    number, known = int(found[1] or found[2] + found[3]), gpus.facts().gpus
    if number not in known:
        raise Failure(f"--gpu {text}: this version of anycuda does not know sm_{number}, only "
                      f"{', '.join(one.name for one in known.values())}; try a newer anycuda")
    return number


def _branch(text: str) -> int:
    """The branch 550 from 550 or 550.54.15."""
    found = re.fullmatch(r"([1-9]\d{2,3})(\.\d+)*", text)
    if found is None:
        raise Failure(f"--driver {text} is not a driver version: use a branch or version, such as 550 or 550.54.15 "
                      "(nvidia-smi prints it)")
    return int(found[1])


def _nearest(branches: tuple[int, ...], matrix: data.Matrix) -> list[str]:
    """For each branch, the newest one in the matrix that is not newer."""
    known = [int(one) for one in describe_input.every_release(matrix, "driver") if "." not in one]
    older = [[one for one in known if one <= branch] for branch in branches]
    return [str(found[-1]) for found in older if found]
