# SPDX-License-Identifier: Apache-2.0
"""The matrix page: its own files (matrix/), and the command's matrix.json in parts, which the page loads one by one."""

from __future__ import annotations

import json
import re
from pathlib import Path

import libraries
from generate import matrix

_FOLDER = Path(__file__).resolve().parent / "matrix"
_OF_A_PART = ("answers", "rows")  # all else of a library is in the index


def files(root: Path) -> dict[str, str]:
    """Path within the site -> text."""
    own = {file.name: file.read_text(encoding="utf-8") for file in sorted(_FOLDER.iterdir()) if file.is_file()}
    return {f"matrix/{name}": text for name, text in {**own, **data(version(root))}.items()}


def data(of_version: str) -> dict[str, str]:
    """data/index.json, and data/NAME.json with the outcomes of each library."""
    whole = json.loads(matrix.text(of_version))
    parts = {name: {key: library.pop(key) for key in _OF_A_PART} for name, library in whole["libraries"].items()}
    parts["index"] = {**whole, "status_names": libraries.status_names()}
    return {f"data/{name}.json": json.dumps(part, separators=(",", ":")) for name, part in parts.items()}


def version(root: Path) -> str:
    build = (root / "CMakeLists.txt").read_text(encoding="utf-8")
    found = re.search(r"^project\(anycuda VERSION ([0-9.]+)", build, re.MULTILINE)
    if not found:
        raise ValueError("CMakeLists.txt has no line `project(anycuda VERSION ...`, which the matrix page needs")
    return found[1]
