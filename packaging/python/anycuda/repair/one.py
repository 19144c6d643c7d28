# SPDX-License-Identifier: Apache-2.0
"""Repairs one wheel, from reading it to the result."""

from __future__ import annotations

import argparse
import filecmp
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from ..analysis import libraries
from ..failure import Failure
from ..wheels import archive, packing, wheel_record
from . import about, apply, glibc, outcome, plan, scan, stubs, texts
from .exclude import Exclude
from .outcome import Outcome
from .report import Report

_KEPT = 1 << 30  # bytes of unpacked files to keep for their edit instead of unpacking them again


def repair(path: Path, arguments: argparse.Namespace, found: stubs.Stubs, table: libraries.Table,
           report: Report) -> None:
    made = Outcome(path)
    try:
        with archive.open_wheel(path) as wheel:
            _check(path, arguments, wheel)
            _repair(wheel, made, arguments, found, table, report)
    except Failure as failure:
        made.status, made.reasons = outcome.FAILED, [str(failure)]
    finally:
        report.progress.clear()
    report.done(made)


def _repair(wheel: archive.Wheel, made: Outcome, arguments: argparse.Namespace, found: stubs.Stubs,
            table: libraries.Table, report: Report) -> None:
    folder = None if arguments.dry_run else _folder(wheel, arguments)
    with apply.work_folder(folder) as work:
        with apply.in_folder(folder):
            result = _planned(wheel, made, work, arguments, found, table, report)
        report.planned(made)
        if result is None or arguments.dry_run:
            return
        try:
            with apply.in_folder(folder):
                _put(_result(wheel, made, result.brought, work, arguments, report), result.target, made, arguments)
        except apply.CannotEdit as reason:
            made.status, made.reasons = outcome.REFUSED, [str(reason)]


@dataclass(frozen=True)
class _Wanted:
    """`brought`: name in the wheel -> path of the stub. `target`: where the result goes."""

    brought: dict[str, Path]
    target: Path


def _planned(wheel: archive.Wheel, made: Outcome, work: Path, arguments: argparse.Namespace, found: stubs.Stubs,
             table: libraries.Table, report: Report) -> _Wanted | None:
    """The plan's stubs and target; None if the wheel is refused."""
    report.progress.start(f"{wheel.path.name}: reading", wheel.size)
    made.scan = scan.look(wheel, work, report.progress.step, 0 if arguments.dry_run else _unpack_budget(wheel, work),
                          not arguments.quiet)
    exclude = Exclude(arguments.exclude)
    made.glibc = wheel.name.glibc
    promised = None if arguments.any_glibc else made.glibc
    options = plan.Options(arguments.built_for, arguments.partly, promised, exclude)
    made.plan = plan.make(made.scan, wheel.name.distribution, options, table, found.of,
                          None if arguments.no_drop_ins else found.dropin)
    _add_record(made.plan, made.scan.unrecorded, arguments.any_record)
    made.plan.notes += [f"--exclude {glob} matches nothing that repair would change" for glob in exclude.unused()]
    if made.plan.refusals:
        made.status, made.reasons = outcome.REFUSED, made.plan.refusals
        made.plan = plan.Plan()
        _add_verdict(wheel, made, arguments, table)
        return None
    if made.glibc is None and not arguments.any_glibc:
        made.plan.tag_notes = glibc.note(".".join(wheel.name.platforms), made.plan.stubs.values())
    brought = {name: stubs.written(stub, work) for name, stub in made.plan.stubs.items()}
    target = _texts(wheel, made, brought, arguments, table)
    _add_verdict(wheel, made, arguments, table)
    return _Wanted(brought, target)


def _add_verdict(wheel: archive.Wheel, made: Outcome, arguments: argparse.Namespace, table: libraries.Table) -> None:
    """Adds the verdict. With --quiet it is not reported, so its modules are not imported (5 ms)."""
    if not arguments.quiet:
        from . import verdict
        made.verdict = verdict.of(wheel, made.scan, made.texts, table)


def _add_record(made: plan.Plan, differences: list[str], accepted: bool) -> None:
    """Adds a refusal for a RECORD that does not match, or a note if --any-record accepts it."""
    if not differences:
        return
    text = wheel_record.mismatch(differences)
    if accepted:
        made.notes.append(f"{text} (accepted because of --any-record)")
    else:
        made.refusals.append(f"{text} (pip does not check this). The wheel was changed after it was built, or was "
                             "built with a wrong RECORD. Get it again; if the new file has the same differences, pass "
                             "--any-record. If you build the wheel, run the step that writes RECORD last")


def _check(path: Path, arguments: argparse.Namespace, wheel: archive.Wheel) -> None:
    if wheel.name.is_musl:
        raise Failure(f"{path} is a wheel for musl, but NVIDIA's libraries and the stubs need glibc: repair the wheel "
                      "for manylinux")
    if arguments.in_place and not os.access(path, os.W_OK):
        raise Failure(f"{path} is read-only, so --in-place does not replace it: make it writable, or use --wheel-dir")
    if arguments.in_place or arguments.dry_run:
        return
    if os.path.realpath(arguments.wheel_dir / path.name) == os.path.realpath(path):
        raise Failure(f"{path} is in --wheel-dir, so the result would replace it: use --in-place, or another "
                      "--wheel-dir")


def _folder(wheel: archive.Wheel, arguments: argparse.Namespace) -> Path:
    """The folder of the result. --in-place replaces the target of a symbolic link, not the link."""
    if arguments.in_place:
        return Path(os.path.realpath(wheel.path)).parent
    try:
        arguments.wheel_dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Failure(f"--wheel-dir {arguments.wheel_dir}: {error.strerror}") from None
    return arguments.wheel_dir


def _unpack_budget(wheel: archive.Wheel, work: Path) -> int:
    """The room for unpacked files next to the result, which is at most as large as the unpacked wheel."""
    return min(_KEPT, max(0, shutil.disk_usage(work).free - wheel.size))


def _texts(wheel: archive.Wheel, made: Outcome, brought: dict[str, Path], arguments: argparse.Namespace,
           table: libraries.Table) -> Path:
    """Plans the texts; returns where the result goes."""
    made.texts = texts.make(wheel, made.scan, made.plan, arguments.drop_requirement, arguments.free_requirements, table)
    if not (made.plan.edits or made.plan.stubs or made.texts.edited):
        made.status = outcome.UNCHANGED
    else:
        made.status = outcome.REPAIRED
    tagged = arguments.build_tag and made.status == outcome.REPAIRED
    file = wheel.name.with_build_tag(arguments.build_tag) if tagged else wheel.path.name
    if brought:
        about.add(made.texts, wheel, file, made.plan, brought, table)
    if tagged:
        about.build_tag(made.texts, wheel, arguments.build_tag)
    return Path(os.path.realpath(wheel.path)) if arguments.in_place else arguments.wheel_dir / file


def _result(wheel: archive.Wheel, made: Outcome, brought: dict[str, Path], work: Path, arguments: argparse.Namespace,
            report: Report) -> Path:
    if made.status == outcome.UNCHANGED:
        return apply.copied(wheel, work)
    report.progress.start(f"{wheel.path.name}: writing", wheel.size)
    try:
        return apply.write(wheel, made.scan, made.plan, brought, made.texts, work, report.progress.step,
                           packing.Packing(arguments.zip_level, arguments.jobs))
    finally:
        report.progress.clear()


def _put(result: Path, target: Path, made: Outcome, arguments: argparse.Namespace) -> None:
    exists = os.path.lexists(target)
    same = os.path.exists(target) and filecmp.cmp(result, target, shallow=False)
    if exists and not (same or arguments.in_place or arguments.force):
        raise Failure(f"{target} exists and differs from the result: pass --force to replace it")
    made.result, made.size, made.was_there = target, result.stat().st_size, same
    if not same:
        apply.put(result, target)
