# SPDX-License-Identifier: Apache-2.0
"""`anycuda check`: what becomes of a binary's CUDA calls, once the stubs are in place, on each CUDA."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from .. import terminal
from ..analysis import gpus, libraries
from ..analysis.progress import Progress
from ..failure import Failure
from ..matrix import data
from ..matrix.selection import Selection, values
from . import as_json, findings, here, text, words
from .cells import FAILS, UNCHECKED, UNKNOWN, Asked, Cells
from .findings import DEVICE_CODE, IN_PART
from .standing import TIED

NAME = "check"
SUMMARY = "What becomes of the CUDA calls of a file, a folder or a wheel on each CUDA, with the stubs in place."
ALLOWED = (*FAILS, TIED, DEVICE_CODE, IN_PART)
# CUDA 11.7 and the driver that came with it: --runtime 11.7, 515 asks about them.
_NOT_BY_DEFAULT = ("11.7", "515")
_EPILOG = f"""\
Without --runtime all releases from CUDA 11.8 on and all drivers from 520 on are asked about; with it, those
that it names: cuDNN and NCCL have their own releases (nccl-2.28, cudnn-9). A line names what is not asked about.
A function counts when the file uses it (asks the dynamic linker for it); whether it is ever called, no file
tells: --ignore and --allow say what is known not to matter. Kinds are those of `anycuda matrix`, and two more:
{UNCHECKED} (the file does not say for which CUDA it was built, and that matters there: --built-for,
`anycuda patch`) and {UNKNOWN} (no stub has it). A file is {TIED} to a CUDA if it needs or opens a library of it
that has no stub. The last line is the verdict.

--gpu and --driver ask whether its device code loads there, each on its own or both together; without --runtime
they ask about nothing else. --here asks about this machine.

exit status: 0  everything runs on every CUDA, driver and GPU asked for
             1  something is {', '.join(FAILS[:-1])} or {FAILS[-1]} on one of them, or {TIED} to another CUDA, or
                device code or a static runtime does not run
             2  something could not be read, or the command itself failed
             3  --gpu, --driver, --here, and --runtime as to device code: that cannot be told

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
                        help="binaries, wheels (each library in them), folders (both in them, each wheel by itself)")
    for options, name, about in (
        (("--runtime",), "RELEASE", "the installed one: CUDA 12.4, or 12 for all of it; a driver's 535; nccl-2.28"),
        (("--gpu",), "GPU", "does its device code run on sm_120 (or 12.0)?"),
        (("--driver",), "BRANCH", "does a driver of that branch, 550, load its device code?"),
        (("--library",), "NAME", "such as cudart, nvrtc or nvjpeg"),
        (("--allow",), "KIND", f"no reason to fail: {', '.join(ALLOWED)}"),
        (("--ignore",), "GLOB", "functions that do not matter, such as 'cudaGraph*'"),
    ):
        parser.add_argument(*options, metavar=name, action="append", default=[], help=f"{about} (several: a,b)")
    parser.add_argument("--built-for", "--caller", metavar="MAJOR", default="",
                        help="the CUDA that it was built for, where the file does not say: 11, 12, 13")
    parser.add_argument("--here", action="store_true",
                        help="does it run on this machine: its driver, GPUs and CUDA libraries?")
    parser.add_argument("--all", action="store_true", help="list what runs, too, not what fails alone")
    parser.add_argument("--json", action="store_true", help="for programs; the schema is documented")


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
        print(text.report(matrix, asked, found, arguments.all, terminal.wants_colour(), terminal.width_of()))
    return findings.status(found, asked)


def _machine(arguments: argparse.Namespace) -> here.Here | None:
    if arguments.here and (arguments.runtime or arguments.gpu or arguments.driver):
        raise Failure("--here asks about this machine's CUDA, GPUs and driver: leave out --runtime, --gpu and --driver")
    return here.look() if arguments.here else None


def _asked(arguments: argparse.Namespace, matrix: data.Matrix, machine: here.Here | None) -> Asked:
    wanted = Selection(libraries=values(arguments.library), runtimes=values(arguments.runtime))
    wanted.apply(matrix._replace(libraries={name: library._replace(runs=[])
                                            for name, library in matrix.libraries.items()}))
    majors = sorted({caller for library in matrix.libraries.values() for caller in library.callers if caller.isdigit()})
    if arguments.built_for and arguments.built_for not in majors:
        raise Failure(f"--built-for {arguments.built_for}: one of {', '.join(majors)} is expected")
    allowed = values(arguments.allow)
    for kind in allowed:
        if kind not in ALLOWED:
            raise Failure(f"--allow {kind}: one of {', '.join(ALLOWED)} is expected")

    def counts(release: str) -> bool:
        if not wanted.runtimes:
            return release not in _NOT_BY_DEFAULT
        return bool({release, data.major_of(release)} & set(wanted.runtimes))

    architectures, branches = tuple(map(_gpu, values(arguments.gpu))), tuple(map(_branch, values(arguments.driver)))
    if machine:
        wanted.runtimes = [*machine.releases, *_nearest((machine.branch,), matrix)] or [""]
    elif architectures or branches:
        wanted.runtimes = [*wanted.runtimes, *_nearest(branches, matrix)] or [""]  # which no release has
    releases = list(filter(counts, words.every_release(matrix)))
    own = dict.fromkeys(release for library in matrix.libraries.values() if library.own_releases
                        for release in filter(counts, library.runtimes))
    # The newest cuda.h, which the matrix has beside the drivers, says nothing about any that is there.
    drivers = [driver for driver in words.every_release(matrix, "driver")
               if "." not in driver and counts(driver)]
    return Asked(tuple(releases), tuple(drivers), tuple(wanted.libraries), arguments.built_for, tuple(allowed),
                 tuple(values(arguments.ignore)), tuple(own), architectures, branches,
                 tuple(values(arguments.runtime)), machine is not None)


def _gpu(text: str) -> int:
    """90 of sm_90, 90 and 9.0"""
    found = re.fullmatch(r"(?:sm_)?(?:([1-9]\d{1,2})|([1-9]\d?)\.(\d))", text)
    if found is None:
        raise Failure(f"--gpu {text}: a GPU is expected, as sm_90 or 9.0; nvidia-smi --query-gpu=compute_cap tells it")
    number, known = int(found[1] or found[2] + found[3]), gpus.facts().gpus
    if number not in known:
        raise Failure(f"--gpu {text}: this anycuda does not know sm_{number}, it knows "
                      f"{', '.join(one.name for one in known.values())}; a newer anycuda may know it")
    return number


def _branch(text: str) -> int:
    """550 of 550 and 550.54.15"""
    found = re.fullmatch(r"([1-9]\d{2,3})(\.\d+)*", text)
    if found is None:
        raise Failure(f"--driver {text}: a driver's branch or version is expected, as 550 or 550.54.15; nvidia-smi "
                      "tells it")
    return int(found[1])


def _nearest(branches: tuple[int, ...], matrix: data.Matrix) -> list[str]:
    """The newest branches of the matrix that are not newer."""
    known = [int(one) for one in words.every_release(matrix, "driver") if "." not in one]
    older = [[one for one in known if one <= branch] for branch in branches]
    return [str(found[-1]) for found in older if found]
