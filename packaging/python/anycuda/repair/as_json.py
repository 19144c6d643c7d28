# SPDX-License-Identifier: Apache-2.0
"""The outcome as JSON (the schema is in docs/json.md)."""

from __future__ import annotations

import json
from collections import Counter

from . import glibc, outcome
from .files import FileEdit
from .outcome import Outcome

SCHEMA = 1


def report(found: list[Outcome], anycuda: str) -> str:
    counts = Counter(one.status for one in found)
    kinds = (outcome.REPAIRED, outcome.UNCHANGED, outcome.REFUSED, outcome.FAILED)
    return json.dumps({
        "schema": SCHEMA,
        "anycuda": anycuda,
        "status": outcome.exit_status(found),
        "summary": {kind: counts[kind] for kind in kinds},
        "wheels": [_wheel(one) for one in found],
    }, indent=1)


def _wheel(one: Outcome) -> dict:
    return {
        "wheel": str(one.wheel),
        "status": one.status,
        "reasons": one.reasons,
        "result": str(one.result) if one.result else None,
        "size": one.size,
        "was_there": one.was_there,
        "changed": list(map(_changed, one.plan.edits)),
        "kept": one.untouched,
        "added": [{"file": name, "library": stub.library, "quiet": stub.quiet,
                   "opened_by": one.plan.users.get(name, [])} for name, stub in one.plan.stubs.items()],
        "glibc": {"tag": _version(one.glibc), "stubs": _version(glibc.needed(one.plan.stubs.values()))},
        "left_out": [{"file": name, "why": why} for name, why in one.plan.left_out.items()],
        "freed": one.texts.changes,
        "texts": sorted(one.texts.edited),
        "renamed": one.texts.renamed,
        "notes": one.notes,
        "verdict": one.verdict.for_json if one.verdict else None,
    }


def _version(found: tuple[int, int] | None) -> str | None:
    return glibc.dots(found) if found else None


def _changed(edit: FileEdit) -> dict:
    return {"file": edit.name, "needed": edit.needed, "add_needed": list(edit.add_needed), "search_path": edit.path,
            "lines": list(edit.lines), "said": list(edit.lines)}  # said: the name of `lines` in 0.1; deprecated
