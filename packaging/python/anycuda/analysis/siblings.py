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
    by_name = {name: number for number, (path, use) in enumerate(files)
               for name in (posixpath.basename(path), use.soname) if name}
    return [_without(use, _defined(files, by_name, use)) if any(one.how in _ELSEWHERE for one in use.uses) else use
            for _, use in files]


def _defined(files: Sequence[tuple[str, FileUse]], by_name: dict[str, int], use: FileUse) -> frozenset[str]:
    """The CUDA functions defined by the files that this file needs."""
    found: set[str] = set()
    seen: set[int] = set()
    waiting = list(use.needed)
    while waiting:
        number = by_name.get(waiting.pop())
        if number is None or number in seen:
            continue
        seen.add(number)
        found |= files[number][1].defines
        waiting += files[number][1].needed
    return frozenset(found)


def _without(use: FileUse, defined: frozenset[str]) -> FileUse:
    return replace(use, uses=tuple(_left(use.uses, defined)))


def _left(uses: Iterable[Use], defined: frozenset[str]) -> Iterable[Use]:
    for use in uses:
        symbols = tuple(symbol for symbol in use.symbols if symbol.name not in defined)
        if use.how not in _ELSEWHERE or symbols == use.symbols:
            yield use
        elif symbols or use.needed:
            yield replace(use, symbols=symbols)
