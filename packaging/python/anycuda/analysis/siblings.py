# SPDX-License-Identifier: Apache-2.0
"""Functions that one file of a wheel or folder defines for another do not count as CUDA's. Pure."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence
from dataclasses import replace

from .file_use import FileUse, Use
from .libraries import Linking

_ELSEWHERE = (Linking.UNNAMED, Linking.PEER)


def resolved(files: Sequence[tuple[str, FileUse]]) -> list[FileUse]:
    """The uses of `files` (name, use) without functions that another of these files provides. A function without a
    matching entry of DT_NEEDED comes from any loaded library; it is provided if the file needs, directly or through
    others, one of these files that defines it. The same holds for functions from another project's stub among these
    files."""
    by_name = {name: number for number, (path, file) in enumerate(files)
               for name in (posixpath.basename(path), file.soname) if name}
    return [_without(file, _defined(files, by_name, file)) if any(use.how in _ELSEWHERE for use in file.uses) else file
            for _, file in files]


def _defined(files: Sequence[tuple[str, FileUse]], by_name: dict[str, int], file: FileUse) -> frozenset[str]:
    """The CUDA functions defined by the files that this file needs."""
    symbols: set[str] = set()
    visited: set[int] = set()
    waiting = list(file.needed)
    while waiting:
        number = by_name.get(waiting.pop())
        if number is None or number in visited:
            continue
        visited.add(number)
        symbols |= files[number][1].defines
        waiting += files[number][1].needed
    return frozenset(symbols)


def _without(file: FileUse, defined: frozenset[str]) -> FileUse:
    return replace(file, uses=tuple(_left(file.uses, defined)))


def _left(uses: Iterable[Use], defined: frozenset[str]) -> Iterable[Use]:
    for use in uses:
        symbols = tuple(symbol for symbol in use.symbols if symbol.name not in defined)
        if use.how not in _ELSEWHERE or symbols == use.symbols:
            yield use
        elif symbols or use.needed:
            yield replace(use, symbols=symbols)
