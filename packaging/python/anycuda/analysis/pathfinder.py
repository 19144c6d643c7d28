# SPDX-License-Identifier: Apache-2.0
"""Python files that load NVIDIA's libraries with cuda-pathfinder: load_nvidia_dynamic_lib("cublas"). Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from . import python_names, python_text
from .libraries import Library, Table
from .python_names import Names, last
from .python_values import Values

_MODULE, _FUNCTION, _PARAMETER = "pathfinder", "load_nvidia_dynamic_lib", "libname"
_OWN_FOLDER = "/cuda/pathfinder/"  # of cuda-pathfinder itself, also inside another package
_FILES = {"cuda": "libcuda", "nvml": "libnvidia-ml"}  # others are lib and the name
_VALID = re.compile(r"\w{1,64}")
# For a file that is not parsed.
_IMPORT_LINE = re.compile(rb"^[ \t\f]*(?:import|from)\b[^\n]*\bpathfinder\b", re.M)
_NAMED = re.compile(rb"\bpathfinder\b")
_CALL = re.compile(_FUNCTION.encode() + rb"[ \t]*\(\s*(?:libname\s*=\s*)?(?:(['\"])([A-Za-z]\w*)\1\s*[,)])?")
_RENAMED = re.compile(_FUNCTION.encode() + rb"[ \t]+as\b")

_RAISES = "the call raises DynamicLibNotFoundError where NVIDIA's library is not installed"
_SERVED = (f"{_RAISES}; `anycuda run -- python ...` serves the call. If you write this file, continue after the error: "
           "repaired binaries do not need the call")
_NO_STUB = f"{_RAISES}, and anycuda has no stub for it"
_UNKNOWN = f"{_RAISES}; `anycuda run -- python ...` serves the calls for libraries with a stub"


@dataclass(frozen=True)
class Loads:
    """`names`: as cuda-pathfinder spells them. `at_run_time`: the file also loads libraries whose names the program
    determines at run time, or whose names were not found."""

    names: tuple[str, ...]
    at_run_time: bool = False


def of_file(name: str, content: bytes, table: Table) -> Loads | None:
    """The libraries that a Python file loads; None if it does not use cuda-pathfinder for this purpose."""
    is_caller = name.endswith(".py") and _OWN_FOLDER not in f"/{name}"
    if not is_caller or _FUNCTION.encode() not in content or _MODULE.encode() not in content:
        return None
    tree = python_text.tree(content)
    found = list(_in_text(content) if tree is None else _in_tree(python_names.read(tree)))
    names = dict.fromkeys(one for names, _ in found for one in names)
    valid = [one for one in names if _VALID.fullmatch(one)]
    at_run_time = len(valid) < len(names) or any(others for _, others in found)
    return Loads(_spelt(valid, table), at_run_time) if found else None


def sentences(loads: Loads, table: Table) -> list[str]:
    """What the file does, what follows, and what to do."""
    served = [one for one in loads.names if library_of(one, table)]
    rest = [one for one in loads.names if one not in served]
    found = [f"loads {', '.join(names)} with cuda-pathfinder: {fate}"
             for names, fate in ((served, _SERVED), (rest, _NO_STUB)) if names]
    return found + [f"loads libraries with cuda-pathfinder whose names are known only at run time: {_UNKNOWN}"
                    ] * loads.at_run_time


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


def _spelt(names: list[str], table: Table) -> tuple[str, ...]:
    """The names without other spellings of a library's name: CuPy's loop has cusparselt, and replaces it by cusparseLt
    before the call."""
    known = {one for one in names if library_of(one, table) or stem(one) in table.unstubbed_stems}
    lower = {one.lower() for one in known}
    return tuple(one for one in names if one in known or one.lower() not in lower)


def _in_tree(names: Names) -> Iterator[tuple[list[str], bool]]:
    """(names, whether there may be others) for each call"""
    values = Values(names)
    for call, place in names.uses:
        for function, args, keywords in (call.func, call.args, {one.arg: one.value for one in call.keywords}), *(
                (function, args, {}) for function, args in python_names.passed(call)):
            if last(function) and any(map(_is_function, values.dotted(function, place))):
                given = [keywords[_PARAMETER]] if _PARAMETER in keywords else args[:1]
                yield values.strings(given[0], place) if given else ([], True)
    if values.is_exhausted:
        yield [], True


def _is_function(dotted: str) -> bool:
    """cuda.pathfinder.load_nvidia_dynamic_lib, also by another path: .vendor.pathfinder.load_nvidia_dynamic_lib"""
    *modules, function = dotted.split(".")
    return function == _FUNCTION and any(one.lstrip("_") == _MODULE for one in modules)


def _in_text(content: bytes) -> Iterator[tuple[list[str], bool]]:
    pieces = python_text.pieces(content)
    if _IMPORT_LINE.search(content) if pieces is None else any(map(_NAMED.search, pieces.imports)):
        for found in _CALL.finditer(content):
            yield ([found[2].decode()], False) if found[2] else ([], True)
        if _RENAMED.search(content):
            yield [], True
