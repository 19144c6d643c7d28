"""`anycuda repair`: a wheel for one CUDA becomes a wheel for all that anycuda knows."""

from __future__ import annotations

import argparse
import filecmp
import os
import sys
from pathlib import Path

from .. import terminal
from ..failure import Failure
from ..analysis import libraries
from ..wheels import archive
from . import apply, plan, scan, text, texts
from .progress import Progress
from .stubs import Stubs

NAME = "repair"
SUMMARY = "Make wheels use whatever CUDA is there: NVIDIA's libraries replaced by stubs, which go into the wheel."
_DONE, _REFUSED, _FAILED = 0, 1, 2
_EPILOG = """\
The repaired wheel goes to --wheel-dir under the same name; the wheel that is given stays as it is. A wheel
in which there is nothing to do is copied there unchanged, so that what comes next finds it.

exit status: 0  every wheel is repaired, or needs no repair
             1  a wheel cannot be repaired; the reason is said, and nothing was written for it
             2  a wheel cannot be read, or the result not be written

  anycuda repair torch_memory_saver-0.0.9-cp39-abi3-manylinux2014_x86_64.whl
  anycuda repair --dry-run *.whl
  anycuda repair --built-for 12 --in-place dist/mine-1.0-cp311-cp311-linux_x86_64.whl
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("wheels", nargs="+", type=Path, metavar="WHEEL")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--wheel-dir", "-w", type=Path, default=Path("wheelhouse"), metavar="FOLDER",
                       help="where the repaired wheels go (default: wheelhouse)")
    where.add_argument("--in-place", action="store_true", help="replace the wheels themselves")
    where.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")
    parser.add_argument("--force", action="store_true", help="replace other wheels of that name in --wheel-dir")
    parser.add_argument("--built-for", choices=("11", "12", "13"), default="",
                        help="the CUDA that files were built for which do not say it")
    parser.add_argument("--partly", action="store_true",
                        help="repair wheels too that go on needing libraries for which there is no stub")
    parser.add_argument("--any-glibc", action="store_true",
                        help="even if the stubs need a newer glibc than the wheel's name promises")
    parser.add_argument("--drop-requirement", action="append", default=[], metavar="PROJECT",
                        help="take this project out of the wheel's requirements, such as nvidia-cuda-runtime-cu12")
    parser.add_argument("--free-requirements", action="store_true",
                        help="require NVIDIA's libraries that stubs stand for only in extras: cuda11, cuda12, cuda13")
    parser.add_argument("--quiet", action="store_true",
                        help="mark the wheel's stubs: they write messages only where ANYCUDA_LOG is set")
    parser.add_argument("--no-drop-ins", action="store_true",
                        help="add no drop-ins for libraries that the wheel's files open by name")
    parser.add_argument("--stubs", type=Path, metavar="FOLDER", help="the stubs to use; default: those of this anycuda")


def run(arguments: argparse.Namespace) -> int:
    stubs, table = Stubs(arguments.stubs, arguments.quiet), libraries.table()
    worst = _DONE
    for path in arguments.wheels:
        progress = Progress()
        try:
            worst = max(worst, _one(path, arguments, stubs, table, progress))
        except Failure as failure:
            progress.clear()
            print(f"anycuda {NAME}: {terminal.writable(str(failure), sys.stderr)}", file=sys.stderr)
            worst = _FAILED
        finally:
            progress.clear()
    return worst


def _one(path: Path, arguments: argparse.Namespace, stubs: Stubs, table: libraries.Table, progress: Progress) -> int:
    # Behind a symbolic link is what is to be replaced, and not the link.
    target = Path(os.path.realpath(path)) if arguments.in_place else arguments.wheel_dir / path.name
    if not os.path.lexists(path):  # before its name is judged, which may be mistyped
        raise Failure(f"{path}: there is no such file")
    with archive.open_wheel(path) as wheel:
        _check(path, target, arguments, wheel)
        if not arguments.in_place and not arguments.dry_run:
            _make(arguments.wheel_dir)
        with apply.work_folder(None if arguments.dry_run else target.parent) as work:
            progress.start(f"{path.name}: reading", wheel.size)
            found = scan.look(wheel, work, progress.step)
            promised = None if arguments.any_glibc else wheel.name.glibc
            options = plan.Options(arguments.built_for, arguments.partly, promised)
            made = plan.make(found, wheel.name.distribution, options, table, stubs.of,
                             None if arguments.no_drop_ins else stubs.dropin)
            progress.clear()
            print(terminal.writable(path.name))
            if made.refusals:
                return _refuse(made.refusals)
            changed = texts.make(wheel, found, made, arguments.drop_requirement, arguments.free_requirements, table)
            nothing = not (made.edits or made.stubs or changed.edited)
            for line in text.lines(made, changed):
                print(line)
            if arguments.dry_run:
                if nothing:
                    print("  nothing to repair")
                return _DONE
            sys.stdout.flush()
            progress.start(f"{path.name}: writing", wheel.size)
            try:
                result = (apply.copied(wheel, work) if nothing else
                          apply.write(wheel, found, made, changed.edited, work, progress.step))
            except apply.CannotEdit as reason:
                return _refuse([str(reason)])
            finally:
                progress.clear()
            _finish(result, target, arguments, nothing)
    return _DONE


def _check(path: Path, target: Path, arguments: argparse.Namespace, wheel: archive.Wheel) -> None:
    if wheel.name.is_musl:
        raise Failure(f"{path}: a wheel for musl; NVIDIA's libraries and the stubs are for glibc")
    if arguments.in_place and not os.access(target, os.W_OK):
        raise Failure(f"{path} is read-only, and stays as it is")
    if arguments.in_place or arguments.dry_run:
        return
    if os.path.realpath(target) == os.path.realpath(path):
        raise Failure(f"{path} lies in --wheel-dir itself: say --in-place, or another --wheel-dir")


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Failure(f"--wheel-dir {folder}: {error.strerror}") from None


def _refuse(refusals: list[str]) -> int:
    for refusal in refusals:
        print(f"  refused   {terminal.writable(refusal)}")
    print("  nothing was written", flush=True)
    return _REFUSED


def _finish(result: Path, target: Path, arguments: argparse.Namespace, nothing: bool) -> None:
    there = os.path.lexists(target)
    same = os.path.exists(target) and filecmp.cmp(result, target, shallow=False)
    if there and not (same or arguments.in_place or arguments.force):
        raise Failure(f"{target} is there already, and another wheel than this would be: --force replaces it")
    size = result.stat().st_size
    if not same:
        apply.put(result, target)
    what = "nothing to repair; copied to" if nothing else "written"
    what = "it is in its place already:" if same else what
    print(terminal.writable(f"  {what} {target} ({size / 1e6:.1f} MB)"), flush=True)
