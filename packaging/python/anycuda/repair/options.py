# SPDX-License-Identifier: Apache-2.0
"""The options of `anycuda repair`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from ..wheels import names, packing

_EPILOG = """\
The repaired wheel goes to --wheel-dir under the same name; the original stays unchanged. A wheel that needs no
repair is copied there unchanged, so that the folder is complete. A folder stands for the wheels directly in it.

exit status: 0  every wheel is repaired or needs no repair
             1  a wheel cannot be repaired; the message says why, and nothing was written for it
             2  a wheel cannot be read, or its result cannot be written

  anycuda repair torch_memory_saver-0.0.9-cp39-abi3-manylinux2014_x86_64.whl
  anycuda repair --dry-run dist/
  anycuda repair --built-for 12 --in-place dist/mine-1.0-cp311-cp311-linux_x86_64.whl
"""
_MOST_THREADS = 256


@dataclass(frozen=True)
class Options:
    """The parsed options, under the names that argparse gives them. `build_tag`, `stubs`: None if not given.
    `built_for`: "" if not given."""

    wheels: Sequence[Path]
    wheel_dir: Path
    in_place: bool
    dry_run: bool
    force: bool
    build_tag: str | None
    zip_level: int
    jobs: int
    built_for: str
    exclude: Sequence[str]
    partly: bool
    any_glibc: bool
    any_record: bool
    drop_requirement: Sequence[str]
    free_requirements: bool
    quiet_stubs: bool
    no_drop_ins: bool
    stubs: Path | None
    quiet: bool
    verbose: bool
    json: bool


def add(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("wheels", nargs="+", type=Path, metavar="WHEEL|FOLDER",
                        help="wheel, or folder with wheels in it")
    _add_results(parser)
    _add_what(parser)
    _add_report(parser)


def _add_results(parser: argparse.ArgumentParser) -> None:
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--wheel-dir", "-w", type=Path, default=Path("wheelhouse"), metavar="FOLDER",
                       help="folder for the repaired wheels (default: wheelhouse)")
    where.add_argument("--in-place", action="store_true", help="replace the original wheels")
    where.add_argument("--dry-run", action="store_true", help="report the changes without writing anything")
    parser.add_argument("--force", action="store_true", help="replace wheels of the same name in --wheel-dir")
    parser.add_argument("--build-tag", type=_build_tag, metavar="TAG",
                        help="build tag for repaired wheels, in their names and in WHEEL; must begin with a digit")
    parser.add_argument("-z", "--zip-level", type=int, choices=range(10), default=-1, metavar="LEVEL",
                        help="compression of changed files, 0 to 9 (default: zlib's default, 6)")
    parser.add_argument("-j", "--jobs", type=_jobs, default=packing.default_threads(), metavar="N",
                        help="compression threads (default: the number of CPUs); the result does not depend on it")


def _add_what(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--built-for", choices=("11", "12", "13"), default="",
                        help="CUDA major to assume for files that do not record one")
    parser.add_argument("--exclude", action="append", default=[], metavar="GLOB",
                        help="leave these libraries (such as libcuda.so.*) or, if GLOB has a /, these files of the "
                             "wheel (such as thing/legacy/* or ./mod.so) unchanged")
    parser.add_argument("--partly", action="store_true",
                        help="also repair wheels that still need libraries without a stub")
    parser.add_argument("--any-glibc", action="store_true",
                        help="accept stubs that need a newer glibc than the wheel's tag claims")
    parser.add_argument("--any-record", action="store_true",
                        help="accept wheels whose RECORD does not match their files; the repair writes a new RECORD")
    parser.add_argument("--drop-requirement", action="append", default=[], metavar="PROJECT",
                        help="remove this project from the wheel's requirements, such as nvidia-cuda-runtime-cu12")
    parser.add_argument("--free-requirements", action="store_true",
                        help="make the requirements of NVIDIA's libraries that stubs replace optional: move them to "
                             "the extras cuda11, cuda12 and cuda13")
    parser.add_argument("--quiet-stubs", action="store_true",
                        help="make the wheel's stubs quiet: they write messages only if ANYCUDA_LOG is set")
    parser.add_argument("--no-drop-ins", action="store_true",
                        help="do not add drop-ins for libraries that the wheel's files open by name")
    parser.add_argument("--stubs", type=Path, metavar="FOLDER", help="stubs to use (default: those of this anycuda)")


def _add_report(parser: argparse.ArgumentParser) -> None:
    how = parser.add_mutually_exclusive_group()
    how.add_argument("-q", "--quiet", action="store_true", help="report only refused and failed wheels")
    how.add_argument("-v", "--verbose", action="store_true",
                     help="also report unchanged files, and the notes for each copy of a file")
    how.add_argument("--json", action="store_true", help="print JSON (schema: docs/json.md)")


def from_arguments(arguments: argparse.Namespace) -> Options:
    options = Options(**{field.name: getattr(arguments, field.name) for field in fields(Options)})
    if options.build_tag and options.in_place:
        arguments.parser.error("argument --build-tag: not allowed with argument --in-place, which keeps the wheel's "
                               "name")
    return options


def _build_tag(text: str) -> str:
    if not names.is_build_tag(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a build tag: use a digit, then letters, digits, _ and .")
    return text


def _jobs(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:4]) <= _MOST_THREADS or len(text) > 3:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to {_MOST_THREADS}")
    return int(text)
