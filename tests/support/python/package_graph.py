# SPDX-License-Identifier: Apache-2.0
"""The modules of the Python package, which of them import which, and their functions and variables."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

from include_graph import ROOT, Graph

PACKAGE = ROOT / "packaging/python/anycuda"


def name_of(file: Path) -> str:
    """The name of a module within the package, such as elf/read; that of a folder's __init__.py is the folder."""
    name = file.relative_to(PACKAGE).with_suffix("").as_posix()
    return name[:-len("/__init__")] if name.endswith("/__init__") else name


MODULES = {name_of(file): file for file in sorted(PACKAGE.rglob("*.py"))}
TREES = {name: ast.parse(file.read_text(encoding="utf-8")) for name, file in MODULES.items()}


def imported(name: str, tree: ast.AST) -> Iterator[str]:
    """The package's modules that a module imports anywhere: also in a function, or for types only."""
    folder = MODULES[name].parent
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = [folder, *folder.parents][node.level - 1]
            path = base.joinpath(*(node.module or "").split(".")).relative_to(PACKAGE).as_posix()
            for alias in node.names:
                module = alias.name if path == "." else f"{path}/{alias.name}"
                yield module if module in MODULES else path
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
            yield from (module.partition(".")[2].replace(".", "/") for module in names if module.startswith("anycuda."))


def imports(unit_of: Callable[[str], str]) -> Graph:
    """The graph of imports between what unit_of() makes of two modules' names."""
    graph: Graph = defaultdict(set)
    for name, tree in TREES.items():
        for other in imported(name, tree):
            if other in MODULES and unit_of(other) != unit_of(name):
                graph[unit_of(name)].add(unit_of(other))
    return graph


def functions(tree: ast.AST) -> dict[str, int]:
    """Name -> lines of the longest function of that name, with its decorators' lines left out."""
    lines: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            lines[node.name] = max(lines.get(node.name, 0), (node.end_lineno or node.lineno) - node.lineno + 1)
    return lines


def variables(tree: ast.AST) -> set[str]:
    """The names of variables and parameters, also those of comprehensions and of fields of classes."""
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return names | {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
