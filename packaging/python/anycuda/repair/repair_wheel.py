# SPDX-License-Identifier: Apache-2.0
"""Repairs a wheel, from reading it to the result."""

from __future__ import annotations

import contextlib
import filecmp
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ..analysis.libraries import Table
from ..failure import Failure
from ..wheels import archive, packing, wheel_record
from . import about, apply, glibc, plan, scan, stubs, texts
from .exclude import Exclude
from .options import Options
from .outcome import Outcome, Status, Written
from .report import Progress, Report

_KEPT = 1 << 30  # bytes of unpacked files to keep for their edit instead of unpacking them again


@dataclass(frozen=True)
class _Job:
    """What the stages of a repair share. `folder`: for the result; None in a dry run. `work`: a temporary folder."""

    wheel: archive.Wheel
    options: Options
    available: stubs.Stubs
    table: Table
    progress: Progress
    folder: Path | None
    work: Path


def repair(path: Path, options: Options, available: stubs.Stubs, table: Table, report: Report) -> None:
    """Each stage returns the next outcome; the report on a failure shows that of the last complete stage."""
    outcome = Outcome(path)
    try:
        with _open(path, options, available, table, report.progress) as job:
            with apply.in_folder(job.folder):
                outcome = _read(job)
                outcome = _plan(job, outcome)
                stub_files = {name: stubs.write(stub, job.work) for name, stub in outcome.plan.stubs.items()}
                if outcome.status is not Status.REFUSED:
                    outcome = _plan_texts(job, outcome)
                if stub_files:
                    outcome = _plan_about(job, outcome, stub_files)
                    about.check_folders(job.wheel, outcome.texts)
                outcome = _plan_build_tag(job, outcome)
                if not options.quiet:
                    outcome = _evaluate(job, outcome)
            report.planned(outcome)
            if job.folder and outcome.status is not Status.REFUSED:
                with apply.in_folder(job.folder):
                    result = _write(job, outcome, stub_files)
                    written = _compare(result, _target(job, outcome), options)
                    outcome = replace(outcome, written=written)
                    if not written.was_there:
                        apply.put(result, written.path)
    except apply.CannotEdit as reason:
        outcome = replace(outcome, status=Status.REFUSED, reasons=[str(reason)])
    except Failure as failure:
        outcome = replace(outcome, status=Status.FAILED, reasons=[str(failure)])
    finally:
        report.progress.clear()
    report.done(outcome)


@contextlib.contextmanager
def _open(path: Path, options: Options, available: stubs.Stubs, table: Table, progress: Progress) -> Iterator[_Job]:
    with archive.open_wheel(path) as wheel:
        _check(wheel, options)
        folder = None if options.dry_run else _folder(wheel, options)
        with apply.work_folder(folder) as work:
            yield _Job(wheel, options, available, table, progress, folder, work)


def _check(wheel: archive.Wheel, options: Options) -> None:
    path = wheel.path
    if wheel.name.is_musl:
        raise Failure(f"{path} is a wheel for musl, but NVIDIA's libraries and the stubs need glibc: repair the wheel "
                      "for manylinux")
    if options.in_place and not os.access(path, os.W_OK):
        raise Failure(f"{path} is read-only, so --in-place does not replace it: make it writable, or use --wheel-dir")
    if options.in_place or options.dry_run:
        return
    if os.path.realpath(options.wheel_dir / path.name) == os.path.realpath(path):
        raise Failure(f"{path} is in --wheel-dir, so the result would replace it: use --in-place, or another "
                      "--wheel-dir")


def _folder(wheel: archive.Wheel, options: Options) -> Path:
    """The folder of the result. --in-place replaces the target of a symbolic link, not the link."""
    if options.in_place:
        return Path(os.path.realpath(wheel.path)).parent
    try:
        options.wheel_dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Failure(f"--wheel-dir {options.wheel_dir}: {error.strerror}") from None
    return options.wheel_dir


def _read(job: _Job) -> Outcome:
    wheel, options = job.wheel, job.options
    job.progress.start(f"{wheel.path.name}: reading", wheel.size)
    content = scan.look(wheel, job.work, job.progress.step, 0 if options.dry_run else _unpack_budget(wheel, job.work),
                        not options.quiet)
    return Outcome(wheel.path, scan=content, glibc=wheel.name.glibc)


def _unpack_budget(wheel: archive.Wheel, work: Path) -> int:
    """The room for unpacked files next to the result, which is at most as large as the unpacked wheel."""
    return min(_KEPT, max(0, shutil.disk_usage(work).free - wheel.size))


def _plan(job: _Job, outcome: Outcome) -> Outcome:
    name, options, exclude = job.wheel.name, job.options, Exclude(job.options.exclude)
    promised = None if options.any_glibc else name.glibc
    changes = plan.make(outcome.scan, name.distribution,
                        plan.Options(options.built_for, options.partly, promised, exclude), job.table,
                        job.available.stub, None if options.no_drop_ins else job.available.dropin)
    refusals, notes = _check_record(outcome.scan.unrecorded, options.any_record)
    notes += [f"--exclude {glob} matches nothing that repair would change" for glob in exclude.unused()]
    refusals = [*changes.refusals, *refusals]
    if refusals:
        return replace(outcome, status=Status.REFUSED, reasons=refusals)
    has_no_claim = name.glibc is None and not options.any_glibc
    tag_notes = glibc.note(".".join(name.platforms), changes.stubs.values()) if has_no_claim else []
    return replace(outcome, plan=replace(changes, notes=[*changes.notes, *notes], tag_notes=tag_notes))


def _check_record(differences: list[str], accepted: bool) -> tuple[list[str], list[str]]:
    """(refusals, notes): a refusal for a RECORD that does not match, or a note if --any-record accepts it."""
    if not differences:
        return [], []
    text = wheel_record.mismatch(differences)
    if accepted:
        return [], [f"{text} (accepted because of --any-record)"]
    return [f"{text} (pip does not check this). The wheel was changed after it was built, or was built with a wrong "
            "RECORD. Get it again; if the new file has the same differences, pass --any-record. If you build the "
            "wheel, run the step that writes RECORD last"], []


def _plan_texts(job: _Job, outcome: Outcome) -> Outcome:
    options = job.options
    edited = texts.make(job.wheel, outcome.scan, outcome.plan, options.drop_requirement, options.free_requirements,
                        job.table)
    changes = outcome.plan.edits or outcome.plan.stubs or edited.edited
    return replace(outcome, texts=edited, status=Status.REPAIRED if changes else Status.UNCHANGED)


def _plan_about(job: _Job, outcome: Outcome, stub_files: Mapping[str, Path]) -> Outcome:
    """With the licence and the SBOM of the stubs."""
    return replace(outcome, texts=about.add(job.wheel, outcome.texts, _file_name(job, outcome),
                                            list(outcome.plan.left_out), stub_files, job.table))


def _plan_build_tag(job: _Job, outcome: Outcome) -> Outcome:
    tag = _build_tag(job, outcome)
    return replace(outcome, texts=outcome.texts.plus(about.build_tag(job.wheel, tag))) if tag else outcome


def _evaluate(job: _Job, outcome: Outcome) -> Outcome:
    """With the verdict. With --quiet it is not reported, so its modules are not imported (5 ms)."""
    from . import verdict
    return replace(outcome, verdict=verdict.of(job.wheel, outcome.scan, outcome.texts, job.table))


def _build_tag(job: _Job, outcome: Outcome) -> str | None:
    """The new build tag of the result; None without one."""
    return job.options.build_tag if outcome.status is Status.REPAIRED else None


def _file_name(job: _Job, outcome: Outcome) -> str:
    tag = _build_tag(job, outcome)
    return job.wheel.name.with_build_tag(tag) if tag else job.wheel.path.name


def _target(job: _Job, outcome: Outcome) -> Path:
    """The place of the result."""
    if job.options.in_place:
        return Path(os.path.realpath(job.wheel.path))
    return job.options.wheel_dir / _file_name(job, outcome)


def _write(job: _Job, outcome: Outcome, stub_files: Mapping[str, Path]) -> Path:
    """The result, in the temporary folder."""
    if outcome.status is Status.UNCHANGED:
        return apply.copy(job.wheel, job.work)
    job.progress.start(f"{job.wheel.path.name}: writing", job.wheel.size)
    try:
        return apply.write(job.wheel, outcome.scan, outcome.plan, stub_files, outcome.texts, job.work,
                           job.progress.step, packing.Packing(job.options.zip_level, job.options.jobs))
    finally:
        job.progress.clear()


def _compare(result: Path, target: Path, options: Options) -> Written:
    """Compares the result with an existing file in its place."""
    exists = os.path.lexists(target)
    same = os.path.exists(target) and filecmp.cmp(result, target, shallow=False)
    if exists and not (same or options.in_place or options.force):
        raise Failure(f"{target} exists and differs from the result: pass --force to replace it")
    return Written(target, result.stat().st_size, same)
