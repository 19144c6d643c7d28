# SPDX-License-Identifier: Apache-2.0
"""Files of a wheel that load libraries by the name of their distribution: a list in JSON, or a program text that asks
importlib.metadata or imports its package (nvidia.cublas). They raise if the distribution is not installed. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any

from ..wheels.names import normal
from . import named, python_text
from .libraries import Table

_DEEPEST = 100  # levels of nested lists and objects in a JSON file
LARGEST = named.LARGEST  # bytes of a text that is searched
_LIBRARY = re.compile(r"lib[\w.+-]+\.so(\.[\d.*]+)?")
_NVIDIA = "nvidia."  # the distributions' names begin with nvidia-
_SUFFIX = re.compile(r"-cu1\d$")
_CUDA_PACKAGES = ("cuda", "cupy", "jax", "numba.cuda", "paddle", "pynvml", "tensorflow", "tensorrt",
                  "torch", "triton")
_IMPORT = re.compile(rb"(?:(?:^|[:;])[ \t]*(?:import|from)[ \t]|\b(?:__import__|import_module)[ \t]*\(\s*)"
                     rb"([^\n:;]*)", re.M)
_WORD = re.compile(rb"\w+")
_INDENT = re.compile(r"\n([ \t]+)\S")


def is_looked_into(name: str, size: int) -> bool:
    return name.endswith((".json", ".py")) and size <= LARGEST


def in_text(name: str, content: bytes, table: Table) -> tuple[str, ...]:
    """The distributions of CUDA's libraries that this file asks for, in its spelling."""
    known = {wheel for library in table.libraries.values() for wheel in library.wheels.values()}
    if name.endswith(".json"):
        found = [text for entry in _entries(_parsed(content)) for text in _texts(entry) if normal(text) in known]
    elif name.endswith(".py") and b"metadata" in content:
        quoted = re.findall(r"['\"]([A-Za-z][\w.-]*)['\"]", content.decode("utf-8", "replace"))
        found = [text for text in quoted if normal(text) in known]
    else:
        found = []
    return tuple(dict.fromkeys(found))


def imported(name: str, content: bytes, table: Table) -> tuple[str, ...]:
    """The distributions with the packages that this file imports: nvidia.cublas is in nvidia-cublas-cu11 and
    nvidia-cublas-cu12. Those of CUDA 13 share one package, nvidia.cu13."""
    if not name.endswith(".py") or not _roots(content, {_NVIDIA[:-1]}):
        return ()
    packages = {one[len(_NVIDIA):].partition(".")[0] for one in _imports(content, {_NVIDIA[:-1]})
                if one.startswith(_NVIDIA)}
    known = dict.fromkeys(wheel for library in table.libraries.values() for wheel in library.wheels.values())
    return tuple(wheel for wheel in known if _SUFFIX.sub("", wheel)[len(_NVIDIA):].replace("-", "_") in packages
                 and _SUFFIX.search(wheel))


def cuda_packages(name: str, content: bytes, known: Collection[str]) -> set[str]:
    """The imported packages that bring CUDA or open its libraries: torch, cuda. Only packages not in `known` are
    searched."""
    lacking = {root.partition(".")[0] for root in _CUDA_PACKAGES} - {root.partition(".")[0] for root in known}
    roots = _roots(content, lacking) if name.endswith(".py") else set()
    imports = _imports(content, roots) if roots else []
    return {root for one in imports for root in _CUDA_PACKAGES if f"{one}.".startswith(f"{root}.")}


def does(asked: str, imported: str, loaded: str = "") -> str:
    """A sentence about the file; each argument names distributions, or is "" if the file does not do that."""
    return " and ".join([*([f"asks for {asked} by name"] if asked else []),
                         *([f"imports packages of {imported}"] if imported else []),
                         *([f"loads libraries of {loaded} with cuda-pathfinder"] if loaded else [])])


def _roots(content: bytes, names: Collection[str]) -> set[str]:
    """The names that a line seems to import."""
    words = {word for line in _IMPORT.findall(content) for word in _WORD.findall(line)}
    return {name for name in names if name.encode() in words}


def _imports(content: bytes, roots: Collection[str]) -> list[str]:
    """a.b for `import a.b`, `from a.b import c` and `from a import b`, if they name one of the roots."""
    found = python_text.pieces(content)
    wanted = {root.encode() for root in roots}
    return [module for statement in dict.fromkeys(found.imports if found else ())
            if not wanted.isdisjoint(_WORD.findall(statement)) for module in python_text.modules(statement)]


def without(content: bytes, distributions: Collection[str]) -> bytes:
    """The JSON file without its list entries for these distributions (normalised names)."""
    value = _pruned(_parsed(content), distributions)
    text = content.decode("utf-8")
    indent = _INDENT.search(text)
    made = json.dumps(value, indent=indent[1] if indent else None, ensure_ascii=False)
    return (made + ("\n" if text.endswith("\n") else "")).encode("utf-8")


def _parsed(content: bytes) -> Any:
    try:
        value = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return value if _is_flat(value) else None


def _is_flat(value: Any) -> bool:
    """Is it shallow enough for recursion in Python?"""
    level = [value]
    for _ in range(_DEEPEST):
        level = [inner for one in level if isinstance(one, (dict, list))
                 for inner in (one.values() if isinstance(one, dict) else one)]
    return not level


def _entries(value: Any) -> list[dict[str, Any]]:
    """Objects in lists that name a library's file among other fields."""
    if isinstance(value, dict):
        return [entry for one in value.values() for entry in _entries(one)]
    if isinstance(value, list):
        return [one for one in value if _is_entry(one)] + [
            entry for one in value if not _is_entry(one) for entry in _entries(one)]
    return []


def _is_entry(value: Any) -> bool:
    return isinstance(value, dict) and any(map(_LIBRARY.fullmatch, _texts(value)))


def _texts(entry: dict[str, Any]) -> list[str]:
    return [one for one in entry.values() if isinstance(one, str)]


def _pruned(value: Any, distributions: Collection[str]) -> Any:
    if isinstance(value, dict):
        return {key: _pruned(one, distributions) for key, one in value.items()}
    if not isinstance(value, list):
        return value
    return [_pruned(one, distributions) for one in value
            if not (_is_entry(one) and {normal(text) for text in _texts(one)} & set(distributions))]
