# SPDX-License-Identifier: Apache-2.0
"""The outcome as JSON (the schema is in docs/json.md)."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from . import glibc
from .files import FileEdit
from .outcome import Outcome, Status, exit_status

SCHEMA = 1


def report(outcomes: list[Outcome], anycuda: str) -> str:
    counts = Counter(outcome.status for outcome in outcomes)
    return json.dumps({
        "schema": SCHEMA,
        "anycuda": anycuda,
        "status": exit_status(outcomes),
        "summary": {status: counts[status] for status in Status},
        "wheels": [_wheel(outcome) for outcome in outcomes],
    }, indent=1)


def _wheel(outcome: Outcome) -> dict[str, Any]:
    written = outcome.written
    return {
        "wheel": str(outcome.wheel),
        "status": outcome.status,
        "reasons": outcome.reasons,
        "result": str(written.path) if written else None,
        "size": written.size if written else 0,
        "was_there": written is not None and written.was_there,
        "changed": list(map(_changed, outcome.plan.edits)),
        "kept": outcome.untouched,
        "added": [{"file": name, "library": stub.library, "quiet": stub.quiet,
                   "opened_by": outcome.plan.users.get(name, [])} for name, stub in outcome.plan.stubs.items()],
        "glibc": {"tag": _version(outcome.glibc), "stubs": _version(glibc.needed(outcome.plan.stubs.values()))},
        "left_out": [{"file": name, "why": why} for name, why in outcome.plan.left_out.items()],
        "freed": outcome.texts.changes,
        "texts": sorted(outcome.texts.edited),
        "renamed": outcome.texts.renamed,
        "notes": outcome.notes,
        "verdict": outcome.verdict.for_json if outcome.verdict else None,
    }


def _version(version: tuple[int, int] | None) -> str | None:
    return glibc.dots(version) if version else None


def _changed(edit: FileEdit) -> dict[str, Any]:
    return {"file": edit.name, "needed": edit.needed, "add_needed": list(edit.add_needed), "search_path": edit.path,
            "lines": list(edit.lines), "said": list(edit.lines)}  # said: the name of `lines` in 0.1; deprecated
