# SPDX-License-Identifier: Apache-2.0
"""Is every CUDA function that a file uses in the stubs that it needs? For files that cannot be opened, since they need
PyTorch or another package."""

from __future__ import annotations

from anycuda.analysis.libraries import Table
from anycuda.elf.read import Image
from anycuda.elf.symbols import Symbol


def missing(image: Image, inside: dict[str, Image], table: Table) -> list[str]:
    """The references, as name@version, that the repaired wheel's libraries in the file's DT_NEEDED (stubs and copies of
    NVIDIA's that stay) do not export. Weak ones do not count. `inside`: name or SONAME -> library of it."""
    needed = [inside[name] for name in image.needed if name in inside]
    exported = {(symbol.name, symbol.version) for library in needed for symbol in library.exports()}
    names = {name for name, _ in exported}
    lost = []
    for symbol in image.undefined():
        if symbol.weak or not _is_cudas(symbol, table):
            continue
        if symbol.name not in names if not symbol.version else (symbol.name, symbol.version) not in exported:
            lost.append(f"{symbol.name}@{symbol.version}" if symbol.version else symbol.name)
    return sorted(lost)


def count(image: Image, table: Table) -> int:
    """How many of CUDA's functions the file uses."""
    return sum(_is_cudas(symbol, table) for symbol in image.undefined())


def unstubbed(image: Image, inside: frozenset[str], table: Table) -> list[str]:
    """NVIDIA's libraries that the file goes on needing and the wheel does not hold. `inside`: its files' names."""
    return [name for name in image.needed
            if name not in inside and (table.has_no_stub(name) or _is_nvidias(name, table))]


def _is_cudas(symbol: Symbol, table: Table) -> bool:
    return bool(table.of_symbol_version(symbol.version) or table.of_symbol(symbol.name))


def _is_nvidias(name: str, table: Table) -> bool:
    named = table.named(name)
    return named is not None and named.how.is_nvidias
