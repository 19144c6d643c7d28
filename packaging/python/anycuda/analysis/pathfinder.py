# SPDX-License-Identifier: Apache-2.0
"""Python files that load NVIDIA's libraries with cuda-pathfinder: load_nvidia_dynamic_lib("cublas"). Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from . import python_text
from .libraries import Library, Table

_MODULE, _FUNCTION, _PARAMETER = "pathfinder", "load_nvidia_dynamic_lib", "libname"
_OWN_FOLDER = "/cuda/pathfinder/"  # of cuda-pathfinder itself, also inside another package
_FILES = {"cuda": "libcuda", "nvml": "libnvidia-ml"}  # others are lib and the name
_VALID = re.compile(r"\w{1,64}")
# For a file that is not parsed.
_IMPORT_LINE = re.compile(rb"^[ \t\f]*(?:import|from)\b[^\n]*\bpathfinder\b", re.M)
_CALL = re.compile(_FUNCTION.encode() + rb"[ \t]*\(\s*(?:libname\s*=\s*)?(?:(['\"])([A-Za-z]\w*)\1\s*[,)])?")

_RAISES = "the call raises DynamicLibNotFoundError where NVIDIA's library is not installed"
_SERVED = (f"{_RAISES}; `anycuda run -- python ...` serves the call. If you maintain this file, catch the error and go "
           "on: repaired binaries do not need the call")
_NO_STUB = f"{_RAISES}, and anycuda has no stub for it"
_UNKNOWN = f"{_RAISES}; `anycuda run -- python ...` serves the calls for libraries with a stub"


@dataclass(frozen=True)
class Loads:
    """`names`: as cuda-pathfinder spells them. `at_run_time`: the name in a call is known only at run time; then
    `names` also has the strings of the file that are names of libraries."""

    names: tuple[str, ...]
    at_run_time: bool = False


def of_file(name: str, content: bytes, table: Table) -> Loads | None:
    """The libraries that a Python file loads; None if it does not use cuda-pathfinder for this purpose."""
    is_caller = name.endswith(".py") and _OWN_FOLDER not in f"/{name}"
    if not is_caller or _FUNCTION.encode() not in content or _MODULE.encode() not in content:
        return None
    tree = python_text.tree(content)
    found = list(_in_text(content) if tree is None else _in_tree(tree))
    at_run_time = not all(_VALID.fullmatch(one) for one in found)
    strings = list(_strings(tree)) if tree and at_run_time else []
    names = [one for one in found if _VALID.fullmatch(one)] + [one for one in strings if _is_known(one, table)]
    return Loads(tuple(dict.fromkeys(names)), at_run_time) if found else None


def sentences(loads: Loads, table: Table) -> list[str]:
    """What the file does, what follows, and what to do."""
    does = "may load" if loads.at_run_time else "loads"
    served = [one for one in loads.names if library_of(one, table)]
    rest = [one for one in loads.names if one not in served]
    found = [f"{does} {', '.join(names)} with cuda-pathfinder: {fate}"
             for names, fate in ((served, _SERVED), (rest, _NO_STUB)) if names]
    return found or [f"loads libraries with cuda-pathfinder whose names are known only at run time: {_UNKNOWN}"]


def stem(name: str) -> str:
    """The start of the name of the library's file: libcublas for cublas."""
    return _FILES.get(name, f"lib{name}")


def library_of(name: str, table: Table) -> Library | None:
    """The library, if it has a stub."""
    return next((one for one in table.libraries.values() if one.stem == stem(name)), None)


def distributions(loads: Loads | None, table: Table) -> list[str]:
    """The distributions that bring the libraries, for every CUDA."""
    found = [library_of(name, table) for name in loads.names] if loads else []
    return [wheel for library in found if library for wheel in library.wheels.values()]


def _is_known(name: str, table: Table) -> bool:
    return library_of(name, table) is not None or stem(name) in table.unstubbed_stems


def _in_tree(tree: ast.Module) -> Iterator[str]:
    """The name in each call, "" if only the run knows it: load(name), map(load, names), self.load = load."""
    functions = {one.asname or _FUNCTION for node in ast.walk(tree)
                 if isinstance(node, ast.ImportFrom) and _MODULE in (node.module or "")
                 for one in node.names if one.name in (_FUNCTION, "*")}
    direct: set[ast.AST] = set()
    for node in ast.walk(tree):  # a call comes before its function
        if isinstance(node, ast.Call) and _is_function(node.func, functions):
            direct.add(node.func)
            yield _name(node)
        elif _is_function(node, functions) and node not in direct:
            yield ""


def _is_function(node: ast.AST, functions: set[str]) -> bool:
    return (isinstance(node, ast.Attribute) and node.attr == _FUNCTION
            or isinstance(node, ast.Name) and node.id in functions)


def _name(call: ast.Call) -> str:
    given = call.args[:1] + [one.value for one in call.keywords if one.arg == _PARAMETER]
    return next((one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str)), "")


def _strings(tree: ast.Module) -> Iterator[str]:
    return (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))


def _in_text(content: bytes) -> Iterator[str]:
    if _IMPORT_LINE.search(content):
        yield from ((found[2] or b"").decode() for found in _CALL.finditer(content))
