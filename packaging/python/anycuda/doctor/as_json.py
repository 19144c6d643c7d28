"""The report for programs (the schema is in packaging/README.md)."""

from __future__ import annotations

import json
from dataclasses import asdict

from .findings import Findings
from .hint import Hint
from .machine import Machine
from .verdict import POSSIBLE, Verdict

SCHEMA = 1


def report(version: str, machine: Machine, findings: Findings, verdict: Verdict, hints: list[Hint]) -> str:
    whole = {
        "schema": SCHEMA,
        "anycuda": version,
        "possible": verdict.status == POSSIBLE,
        "verdict": verdict.line,
        "reasons": verdict.reasons,
        "machine": asdict(machine),
        "settings": [asdict(setting) for setting in findings.settings],
        "driver": asdict(findings.driver),
        "libraries": [asdict(library) for library in findings.libraries],
        "help": [asdict(hint) for hint in hints],
    }
    return json.dumps(whole, indent=1)
