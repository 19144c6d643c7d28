# SPDX-License-Identifier: Apache-2.0
"""The report as JSON (the schema is in docs/json.md)."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from ..analysis import describe_kernels
from .files import File
from .findings import Findings, Library
from .hint import Hint
from .machine import Machine
from .verdict import Verdict

SCHEMA = 1


def report(version: str, machine: Machine, findings: Findings, verdict: Verdict, hints: list[Hint]) -> str:
    whole = {
        "schema": SCHEMA,
        "anycuda": version,
        "possible": verdict.is_possible,
        "verdict": verdict.line,
        "reasons": verdict.reasons,
        "machine": asdict(machine),
        "settings": [asdict(setting) for setting in findings.settings],
        "driver": asdict(findings.driver),
        "libraries": list(map(_library, findings.libraries)),
        "help": [asdict(hint) for hint in hints],
        "status": verdict.status,
        "files": list(map(_file, verdict.files)),
    }
    return json.dumps(whole, indent=1)


def _library(library: Library) -> dict[str, Any]:
    fields = asdict(library)
    for answer in fields["answers"].values():
        answer["advice"] = answer["hint"]  # the field's name in 0.1; deprecated
    return fields


def _file(file: File) -> dict[str, Any]:
    return {
        "path": file.path,
        "kind": file.kind,
        "problems": [{"file": name, "text": text} for name, text in file.problems],
        "device_code": file.kernels.for_json(),
        "needs": asdict(file.needs) if file.needs else None,
        "runtime_driver": file.runtime_driver,
        "replies": [describe_kernels.reply_for_json(reply, file.of_several) for reply in file.replies],
        "loads": file.loads,
    }
