# SPDX-License-Identifier: Apache-2.0
"""The dynamic symbols of a file."""

from __future__ import annotations

import struct
import sys
from array import array
from typing import NamedTuple

from . import layout
from .headers import Headers, Strings

# The largest libraries have some 100,000. Limits the cost of a damaged file.
_MOST = 1 << 21


class Symbol(NamedTuple):
    """`default`: name@@version instead of name@version. `file`: the file of an undefined symbol's version."""

    name: str
    version: str
    file: str
    default: bool
    defined: bool
    value: int
    size: int
    section: int
    weak: bool
    function: bool


def tables(headers: Headers) -> tuple[bytes, bytes]:
    """The symbol table and its table of version indices (b"" without versions)."""
    address = headers.value(layout.DT_SYMTAB)
    if address is None:
        raise headers.error("damaged: its dynamic section has no symbol table")
    count = _count(headers, address)
    if count > _MOST:
        raise headers.error(f"damaged: it claims {count} symbols, more than any real file has")
    versions = headers.value(layout.DT_VERSYM)
    return (headers.at(address, count * layout.SYMBOL.size, "symbol table"),
            headers.at(versions, 2 * count, "table of symbol versions") if versions is not None else b"")


def read(headers: Headers, strings: Strings, versions: dict[int, tuple[str, str]]) -> list[Symbol]:
    """All symbols except local ones. `versions`: index -> (file, symbol version)."""
    table, indices = tables(headers)
    result: list[Symbol] = []
    for number, (name, info, _, section, value, size) in enumerate(layout.SYMBOL.iter_unpack(table)):
        if number == 0 or info >> 4 == layout.STB_LOCAL:
            continue
        index = int.from_bytes(indices[2 * number: 2 * number + 2], "little") if indices else layout.VERSYM_GLOBAL
        file, symbol_version = versions.get(index & ~layout.VERSYM_HIDDEN, ("", ""))
        result.append(Symbol(strings.get(name), symbol_version, file, not index & layout.VERSYM_HIDDEN,
                             section != layout.SHN_UNDEF, value, size, section, info >> 4 == layout.STB_WEAK,
                             info & 15 in (layout.STT_FUNC, layout.STT_GNU_IFUNC)))
    return result


def _count(headers: Headers, table: int) -> int:
    """The number of symbols. The symbol table does not record its length, the hash table does; but the GNU hash table
    covers only exported symbols, and tells nothing without any."""
    old = headers.value(layout.DT_HASH)
    if old is not None:
        return int.from_bytes(headers.at(old + 4, 4, "hash table"), "little")
    new = headers.value(layout.DT_GNU_HASH)
    hashed, first = _count_hashed(headers, new) if new is not None else (0, 1)
    if hashed:
        return hashed
    for section in headers.sections():
        if section.kind == layout.SHT_DYNSYM and section.address == table:
            return max(section.size // layout.SYMBOL.size, 1)
    return max(first, _count_relocated(headers), 1)


def _count_hashed(headers: Headers, base: int) -> tuple[int, int]:
    """(number of symbols, 0 if none is exported; the first exported one)"""
    buckets, first, bloom, _ = (int.from_bytes(headers.at(base + 4 * i, 4, "hash table"), "little") for i in range(4))
    at = base + 16 + 8 * bloom
    table = array("I", headers.at(at, 4 * buckets, "hash table"))
    if sys.byteorder == "big":
        table.byteswap()
    last = max(table, default=0)
    if not last or last < first:
        return 0, first
    if last > _MOST:
        raise headers.error(f"damaged: it claims {last} symbols, more than any real file has")
    chain = at + 4 * buckets - 4 * first
    while not headers.at(chain + 4 * last, 1, "hash table")[0] & 1:  # the last one of a bucket is odd
        last += 1
        if last > _MOST:
            raise headers.error("damaged: its hash table does not end")
    return last + 1, first


def _count_relocated(headers: Headers) -> int:
    """The number of symbols that relocations refer to; others are unused."""
    highest = -1
    for start, size in ((layout.DT_RELA, layout.DT_RELASZ), (layout.DT_JMPREL, layout.DT_PLTRELSZ)):
        address, length = headers.value(start), headers.value(size) or 0
        if address is not None and length:
            table = headers.at(address, length // 24 * 24, "relocations")
            highest = max(highest, max((info >> 32 for _, info, _ in layout.RELOCATION.iter_unpack(table)), default=-1))
    return highest + 1


def extents(headers: Headers) -> dict[int, int]:
    """Tag -> length of the table of symbols, names or hashes that it points to."""
    count = len(tables(headers)[0]) // layout.SYMBOL.size
    sizes = {layout.DT_SYMTAB: count * layout.SYMBOL.size, layout.DT_STRTAB: headers.value(layout.DT_STRSZ) or 0}
    if headers.value(layout.DT_VERSYM) is not None:
        sizes[layout.DT_VERSYM] = 2 * count
    old = headers.value(layout.DT_HASH)
    if old is not None:
        buckets, chains = struct.unpack("<II", headers.at(old, 8, "hash table"))
        sizes[layout.DT_HASH] = 4 * (2 + buckets + chains)
    new = headers.value(layout.DT_GNU_HASH)
    if new is not None:
        buckets, first, bloom, _ = struct.unpack("<IIII", headers.at(new, 16, "hash table"))
        # It has a chain entry for each symbol that it covers.
        hashed = _count_hashed(headers, new)[0]
        sizes[layout.DT_GNU_HASH] = 16 + 8 * bloom + 4 * buckets + 4 * max(hashed - first, 0)
    return sizes
