# SPDX-License-Identifier: Apache-2.0
"""The C++ sources of the components, and which of them include which."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
COMPONENTS = ("compat", "device_code", "loader", "stubs", "linker", "graph")
GENERATED = "generated"  # stands for every header in the build folder
_INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)

Graph = dict[str, set[str]]


def sources() -> Iterator[Path]:
    for component in COMPONENTS:
        yield from (file for file in sorted((ROOT / component).rglob("*")) if file.suffix in (".h", ".cc"))


def included(name: str) -> Path | None:
    """The project's file that an #include line means; None for a header in the build folder."""
    for folder in (ROOT, ROOT / "compat/include", ROOT / "linker/include", ROOT / "graph/include"):
        if (folder / name).is_file():
            return folder / name
    return None


def names_in(file: Path) -> list[str]:
    return _INCLUDE.findall(file.read_text(encoding="utf-8"))


def includes(name_of: Callable[[Path], str]) -> Graph:
    """The graph of includes between what name_of() makes of two files."""
    graph: Graph = defaultdict(set)
    for file in sources():
        for name in names_in(file):
            target = included(name)
            if target and name_of(target) != name_of(file):
                graph[name_of(file)].add(name_of(target))
    return graph


def find_cycle(graph: Graph) -> list[str]:
    """The nodes of one cycle, with the first repeated at the end; [] for a graph without a cycle."""
    done: set[str] = set()

    def visit(node: str, way: list[str]) -> list[str]:
        if node in way:
            return way[way.index(node):] + [node]
        if node in done:
            return []
        for following in sorted(graph.get(node, ())):
            if cycle := visit(following, [*way, node]):
                return cycle
        done.add(node)
        return []

    return next((cycle for node in sorted(graph) if (cycle := visit(node, []))), [])


def path_of(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def affected_by(changed: set[str]) -> list[str]:
    """The .cc files that are among `changed` or include one of it, also through other headers. GENERATED in `changed`
    stands for the headers in the build folder."""
    includers: Graph = defaultdict(set)
    for file in sources():
        for name in names_in(file):
            target = included(name)
            includers[path_of(target) if target else GENERATED].add(path_of(file))
    found, waiting = set(), list(changed)
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += includers.get(path, ())
    return [path for path in map(path_of, sources()) if path in found and path.endswith(".cc")]
