# SPDX-License-Identifier: Apache-2.0
"""The report as JSON (the schema is in docs/json.md)."""

from __future__ import annotations

import json
from dataclasses import asdict

from ..analysis import describe_kernels, gpus, kernels, libraries, opened
from ..analysis.file_use import Use
from ..matrix.data import Matrix
from . import describe_verdict, drivers_asked, findings
from .cells import Asked
from .findings import File, Input
from .input_verdict import InputVerdict

SCHEMA = 1


def report(matrix: Matrix, asked: Asked, found: list[Input]) -> str:
    whole = {
        "schema": SCHEMA,
        "anycuda": matrix.version,
        "status": findings.status(found, asked),
        "asked": asdict(asked),
        "inputs": [_input(one, asked) for one in found],
    }
    return json.dumps(whole, indent=1)


def _input(one: Input, asked: Asked) -> dict:
    return {
        "path": one.path,
        "kind": one.kind,
        "status": findings.status([one], asked),
        "problems": [{"file": name, "text": text} for name, text in one.problems],
        "passed_over": [{"file": name, "text": text} for name, text in one.passed_over],
        "files": [_file(file, one.inside()) for file in one.files],
        "cells": [{**run._asdict(), "fails": asked.fails(run), "files": names} for run, names in one.cells().items()],
        "requirements": [asdict(pin) for pin in one.texts.pins],
        "preloads": [asdict(preload) for preload in one.texts.preloads],
        "named": [{"file": name, "names": found} for name, found in one.texts.named.items()],
        "pathfinder": [{"file": name, **asdict(loads)} for name, loads in one.texts.loads.items()],
        "verdict": verdict(one.verdict),
        "device_code": _device_code(one, asked),
        "here": {**asdict(one.here), "text": one.here.text} if one.here else None,
        "too_old_drivers": [asdict(late) for late in one.refused_releases(asked)],
        "replies": [describe_kernels.reply_for_json(reply, one.kind != "file") for reply in one.replies],
    }


def _device_code(one: Input, asked: Asked) -> dict:
    facts, found = gpus.facts(), one.kernels
    return {
        **found.for_json(),
        "drivers": [asdict(group) for group in
                    kernels.on_drivers(found.files, drivers_asked.branches(asked, facts), facts)],
        "late_drivers": one.late_drivers(asked),
        "open": one.is_open(asked),
        "uncovered": kernels.uncovered(found.files, facts),
    }


def _use(use: Use) -> dict:
    """cuDNN 9 has one SONAME for every CUDA, so the placeholder major is left out."""
    fields = asdict(use)
    if not libraries.table().libraries[use.library].tells_built_for:
        fields["symbols"] = [{**symbol, "major": ""} for symbol in fields["symbols"]]
    return fields


def _opened(one: opened.Opened) -> dict:
    return {"name": one.name, "library": one.library, "kind": one.kind, "run": one.by_run, "repair": one.by_repair}


def verdict(found: InputVerdict) -> dict:
    fields = asdict(found)
    fields["device_code"] = fields.pop("kernels")
    return {**fields, "driver": found.driver, "text": describe_verdict.sentence(found)}


def _file(file: File, inside: frozenset[str]) -> dict:
    use = file.use
    return {
        "name": file.name,
        "machine": file.machine,
        "uses": [_use(one) for one in use.uses],
        "other": list(use.other),
        "kept": sorted(file.kept),
        "static_runtime": use.static_runtime,
        "provides": asdict(use.provides) if use.provides else None,
        "stubs_inside": list(use.stubs_inside),
        "quiet": use.quiet,
        "opens": [_opened(one) for one in opened.find(use, libraries.table(), inside)],
        "runtime_release": use.runtime_release,
        "verdict": verdict(file.verdict),
    }
