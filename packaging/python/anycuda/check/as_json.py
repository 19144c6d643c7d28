# SPDX-License-Identifier: Apache-2.0
"""The report as JSON (the schema is in docs/json.md)."""

from __future__ import annotations

import json
from dataclasses import asdict

from ..analysis import describe_kernels, gpus, kernels, libraries, opened
from ..analysis.file_use import Use
from ..analysis.opened import Opened
from ..matrix.data import Matrix
from . import describe_verdict, drivers_asked, findings
from .cells import Asked
from .findings import File, Input
from .input_verdict import InputVerdict

SCHEMA = 1


def report(matrix: Matrix, asked: Asked, inputs: list[Input]) -> str:
    whole = {
        "schema": SCHEMA,
        "anycuda": matrix.version,
        "status": findings.status(inputs, asked),
        "asked": asdict(asked),
        "inputs": [_input(input_, asked) for input_ in inputs],
    }
    return json.dumps(whole, indent=1)


def _input(input_: Input, asked: Asked) -> dict[str, object]:
    inside, cells = input_.inside(), input_.cells()
    return {
        "path": input_.path,
        "kind": input_.kind,
        "status": findings.status([input_], asked),
        "problems": [{"file": name, "text": text} for name, text in input_.problems],
        "passed_over": [{"file": name, "text": text} for name, text in input_.passed_over],
        "files": [_file(file, inside) for file in input_.files],
        "cells": [{**run._asdict(), "fails": asked.fails(run), "files": names} for run, names in cells.items()],
        "requirements": [asdict(pin) for pin in input_.texts.pins],
        "preloads": [asdict(preload) for preload in input_.texts.preloads],
        "named": [{"file": name, "names": names} for name, names in input_.texts.named.items()],
        "pathfinder": [{"file": name, **asdict(loads)} for name, loads in input_.texts.loads.items()],
        "verdict": verdict(input_.verdict),
        "device_code": _device_code(input_, asked),
        "here": {**asdict(input_.here), "text": input_.here.text} if input_.here else None,
        "too_old_drivers": [asdict(late) for late in input_.refused_releases(asked)],
        "replies": [describe_kernels.reply_for_json(reply, input_.names_files) for reply in input_.replies],
    }


def _device_code(input_: Input, asked: Asked) -> dict[str, object]:
    facts, code = gpus.facts(), input_.kernels
    return {
        **code.for_json(),
        "drivers": [asdict(group) for group in
                    kernels.on_drivers(code.files, drivers_asked.branches(asked, facts), facts)],
        "late_drivers": input_.late_drivers(asked),
        "open": input_.is_open(asked),
        "uncovered": kernels.uncovered(code.files, facts),
    }


def _use(use: Use) -> dict[str, object]:
    """cuDNN 9 has one SONAME for every CUDA, so the placeholder major is left out."""
    fields = asdict(use)
    if not libraries.table().libraries[use.library].tells_built_for:
        fields["symbols"] = [{**symbol, "major": ""} for symbol in fields["symbols"]]
    return fields


def _opened(name: Opened) -> dict[str, object]:
    return {"name": name.name, "library": name.library, "kind": name.kind, "run": name.by_run,
            "repair": name.by_repair}


def verdict(verdict_: InputVerdict) -> dict[str, object]:
    fields = asdict(verdict_)
    fields["device_code"] = fields.pop("kernels")
    return {**fields, "driver": verdict_.driver, "text": describe_verdict.sentence(verdict_)}


def _file(file: File, inside: frozenset[str]) -> dict[str, object]:
    use = file.use
    return {
        "name": file.name,
        "machine": file.machine,
        "uses": list(map(_use, use.uses)),
        "other": list(use.other),
        "kept": sorted(file.kept),
        "static_runtime": use.static_runtime,
        "provides": asdict(use.provides) if use.provides else None,
        "stubs_inside": list(use.stubs_inside),
        "quiet": use.quiet,
        "opens": list(map(_opened, opened.find(use, libraries.table(), inside))),
        "runtime_release": use.runtime_release,
        "verdict": verdict(file.verdict),
    }
