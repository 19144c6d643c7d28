# SPDX-License-Identifier: Apache-2.0
"""Files of one wheel or folder: functions that one of them defines for another are not CUDA's. Pure."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence
from dataclasses import replace

from .uses import FileUse, Use

_ELSEWHERE = ("unnamed", "peer")


def resolved(files: Sequence[tuple[str, FileUse]]) -> list[FileUse]:
    """`files`: (name, use). Without a name in DT_NEEDED functions come from any loaded library: where a file of these
    defines them, and the one that uses them needs it, directly or through others, they are that file's. So are those
    that a file takes from another project's stub among these."""
    by_name = {name: number for number, (path, use) in enumerate(files)
               for name in (posixpath.basename(path), use.soname) if name}
    return [_without(use, _defined(files, by_name, use)) if any(one.how in _ELSEWHERE for one in use.uses) else use
            for _, use in files]


def _defined(files: Sequence[tuple[str, FileUse]], by_name: dict[str, int], use: FileUse) -> frozenset[str]:
    """CUDA functions that the files define which this one needs."""
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
        symbols = tuple(one for one in use.symbols if one.name not in defined)
        if use.how not in _ELSEWHERE or symbols == use.symbols:
            yield use
        elif symbols or use.needed:
            yield replace(use, symbols=symbols)
