# SPDX-License-Identifier: Apache-2.0
"""The found components as JSON (the schema is in docs/json.md)."""

from __future__ import annotations

import json

from .components import Component, Found

SCHEMA = 1


def report(version: str, python: str, note: str, found: Found) -> str:
    whole = {
        "schema": SCHEMA,
        "anycuda": version,
        "status": found.status,
        "python": python,
        "note": note,
        "warnings": found.warnings,
        "components": list(map(_component, found.components)),
        "names": [{"name": one.name, "kind": one.kind} for one in found.names],
    }
    return json.dumps(whole, indent=1)


def _component(one: Component) -> dict:
    return {
        "name": one.name,
        "kind": one.kind,
        "path": one.path,
        "place": one.place,
        "cuda": one.cuda,
        "cuda_source": one.cuda_source,
        "cuda_file": one.cuda_file,
        "cuda_unknown": one.cuda_unknown,
        "package": one.package,
        "version": one.version,
        "error": {"kind": one.problem, "text": one.error, "searched": one.searched} if one.error else None,
    }
