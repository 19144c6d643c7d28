# SPDX-License-Identifier: Apache-2.0
"""Symbol versions that a file defines (.gnu.version_d) and needs from others (.gnu.version_r)."""

from __future__ import annotations

from dataclasses import dataclass, field
from struct import Struct
from typing import Any

from . import layout
from .headers import Headers, Strings

# An index has 15 bits, so a file cannot have more versions. This also ends endless and circular chains.
_MOST = 1 << 15


@dataclass
class SymbolVersion:
    """`index`: its number in the version table of symbols. `at`: the address of the record."""

    name: str
    index: int
    flags: int
    at: int


@dataclass
class Need:
    """The versions needed from one file, by its name for the dynamic linker."""

    file: str
    at: int
    versions: list[SymbolVersion] = field(default_factory=list)


def defined(headers: Headers, strings: Strings) -> list[SymbolVersion]:
    """The defined versions; the first is often the base, which names the file (VER_FLG_BASE)."""
    versions: list[SymbolVersion] = []
    at = headers.value(layout.DT_VERDEF)
    while at:
        if len(versions) >= _MOST:
            raise headers.error("damaged: the list of the symbol versions that it defines does not end")
        _, flags, index, _, _, aux, following = _record(headers, layout.VERDEF, at)
        name, _ = _record(headers, layout.VERDAUX, at + aux)
        versions.append(SymbolVersion(strings.get(name), index & ~layout.VERSYM_HIDDEN, flags, at))
        at = at + following if following else 0
    return versions


def needed(headers: Headers, strings: Strings) -> list[Need]:
    needs: list[Need] = []
    seen = 0
    at = headers.value(layout.DT_VERNEED)
    while at:
        _, count, file_name, aux, following = _record(headers, layout.VERNEED, at)
        need = Need(strings.get(file_name), at)
        where = at + aux
        for _ in range(count):
            seen += 1
            _, flags, other, name, step = _record(headers, layout.VERNAUX, where)
            need.versions.append(SymbolVersion(strings.get(name), other & ~layout.VERSYM_HIDDEN, flags, where))
            if seen > _MOST or not step:
                break
            where += step
        seen += 1
        if seen > _MOST:
            raise headers.error("damaged: the list of the symbol versions that it needs does not end")
        needs.append(need)
        at = at + following if following else 0
    return needs


def _record(headers: Headers, shape: Struct, address: int) -> tuple[Any, ...]:
    return shape.unpack(headers.at(address, shape.size, "version record"))
