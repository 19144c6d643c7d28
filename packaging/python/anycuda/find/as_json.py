# SPDX-License-Identifier: Apache-2.0
"""The found components as JSON (the schema is in docs/json.md)."""

from __future__ import annotations

import json
from typing import Any

from .components import Answer, Component

SCHEMA = 1


def report(version: str, python: str, note: str, answer: Answer) -> str:
    whole = {
        "schema": SCHEMA,
        "anycuda": version,
        "status": answer.status,
        "python": python,
        "note": note,
        "warnings": answer.warnings,
        "components": list(map(_component, answer.components)),
        "names": [{"name": component.name, "kind": component.kind} for component in answer.names],
    }
    return json.dumps(whole, indent=1)


def _component(component: Component) -> dict[str, Any]:
    error = {"kind": component.problem, "text": component.error, "searched": component.searched}
    return {
        "name": component.name,
        "kind": component.kind,
        "path": component.path,
        "place": component.place,
        "cuda": component.cuda,
        "cuda_source": component.cuda_source,
        "cuda_file": component.cuda_file,
        "cuda_unknown": component.cuda_unknown,
        "package": component.package,
        "version": component.version,
        "error": error if component.error else None,
    }
