# SPDX-License-Identifier: Apache-2.0
"""Which of a function's outputs a failing call sets to zero.

A program that ignores an error should find zero, not garbage from its stack. Pointers to one scalar
or handle count, and pointers to one structure that the function only fills. The marks for scalars and
handles come from the harvest; outputs.txt corrects them after a review, and has all structures:
    + cudaHostAlloc.pHost          is an output although the header does not say so
    + cudaIpcGetMemHandle.handle   is a structure of which the function reads nothing
    - cuTexRefGetBorderColor.pBorderColor   is not an output, for the reason in the comment above it
A pattern (`*`) may stand for several functions; `_ptsz` and `_ptds` forms follow their base name.
"""

import re
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from . import abi_text
from .ctype import CType
from .layout import Resolved, TypeTable, UnknownType
from .model import NATIVE, Database, Function, Prototype

_SCALARS = ("integer", "pointer", "float")


@dataclass(frozen=True)
class Output:
    """A parameter to be set to zero: its index and how many bytes it points to. The pointer may be
    null where the API allows that."""

    index: int
    size: int
    name: str


@dataclass(frozen=True)
class Review:
    """Hand-kept corrections: (function pattern, parameter) -> is it an output?"""

    entries: tuple[tuple[str, str, bool], ...]

    def verdict(self, function: str, parameter: str) -> bool | None:
        stem = re.sub(r"_pts[zd]$|_ptds$", "", function)
        for pattern, name, answer in self.entries:
            if name == parameter and (fnmatchcase(stem, pattern) or fnmatchcase(function, pattern)):
                return answer
        return None


def load_review(path: Path) -> Review:
    entries = []
    for number, line in abi_text.read_lines(path):
        match = re.fullmatch(r"([+-]) (\S+)\.(\w+)", line)
        if not match:
            raise abi_text.FormatError(
                f"{path}:{number}: expected `+ function.parameter` or "
                f"`- function.parameter`, found {line!r}"
            )
        entries.append((match[2], match[3], match[1] == "+"))
    return Review(tuple(entries))


def newest_prototype(function: Function, versions: tuple[str, ...]) -> tuple[str, Prototype] | None:
    """The prototype of the newest of the versions that has one."""
    for version in reversed(versions):
        prototype = function.prototype(version)
        if prototype is not None:
            return version, prototype
    return None


def _target(types: TypeTable, text: str) -> tuple[CType, Resolved] | None:
    """What a pointer points to: as it is written, and without typedefs."""
    pointer = types.resolve_text(text)
    return (pointer.type.target, types.resolve(pointer.type.target)) if pointer.kind == "pointer" else None


def _target_sizes(database: Database, name: str, major: str, parameter: str, kinds: Collection[str]) -> set[int]:
    """The sizes of what the parameter points to, in all releases of this major that have its type."""
    function = database.functions[name]
    sizes = set()
    for version in function.versions_of(major):
        prototype = function.prototype(version)
        for param in prototype.params if prototype else ():
            if param.name != parameter:
                continue
            with suppress(UnknownType):  # the prototype is another release's
                found = _target(database.type_table(version), param.type)
                if found and found[1].kind in kinds:
                    sizes.add(found[1].size)
    return sizes


def _scalar_size(database: Database, name: str, major: str, parameter: str) -> int:
    """Of several sizes the smallest, since the caller may be built for any release of this major: the buffer sizes of
    NPP are an int until CUDA 12.3, and a size_t from 12.4 on."""
    return min(_target_sizes(database, name, major, parameter, _SCALARS))


def _structure_size(database: Database, name: str, major: str, parameter: str) -> int:
    """The size of the structure in all releases of this major; of several sizes the smallest, since
    the caller may be built for any of these releases. A driver has callers of all releases."""
    sizes = _target_sizes(database, name, major, parameter, ("struct",))
    if 0 in sizes or (major == NATIVE and len(sizes) != 1):
        raise ValueError(f"{database.path}: {name}.{parameter} is marked as an output, but the sizes of its "
                         f"structure are {sorted(sizes)}")
    return min(sizes)


def outputs(database: Database, name: str, major: str, review: Review) -> list[Output]:
    """The outputs of one function as callers of one major know it."""
    function = database.functions[name]
    found = newest_prototype(function, function.versions_of(major))
    if found is None:
        return []
    version, prototype = found
    types = database.type_table(version)
    result = []
    for index, param in enumerate(prototype.params):
        verdict = review.verdict(name, param.name)
        if not (param.out if verdict is None else verdict):
            continue
        target = _target(types, param.type)
        if target is not None and not target[0].const:
            if target[1].kind in _SCALARS:
                result.append(Output(index, _scalar_size(database, name, major, param.name), param.name))
                continue
            if target[1].kind == "struct" and verdict:
                result.append(Output(index, _structure_size(database, name, major, param.name), param.name))
                continue
        raise ValueError(
            f"{database.path}: {name}.{param.name} is marked as an output, but {param.type!r} is not a pointer to "
            "one writable scalar or handle, or to a structure that outputs.txt lists"
        )
    return result


def all_outputs(database: Database) -> dict[tuple[str, str], list[Output]]:
    """(function, caller's major) -> its outputs, for every function of the library."""
    review = load_review(database.path / "outputs.txt")
    if database.served_by:
        review = Review(review.entries + load_review(database.served_by / "outputs.txt").entries)
    return {
        (name, major): outputs(database, name, major, review)
        for name, function in database.functions.items()
        for major in function.majors
    }
