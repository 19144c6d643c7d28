# SPDX-License-Identifier: Apache-2.0
"""Stubs under the name that all of them have in common (libcudart_stub.so), as in what CMake has linked, and those
under another name (libanycuda_cudart-c7c69a83.so), as repair puts them into wheels. Pure."""

from __future__ import annotations

from ..analysis import ties
from ..analysis.libraries import Table
from ..analysis.uses import Use
from .scan import Member, Scan


def has_own_name(use: Use) -> bool:
    """Of a need of a stub. There is a hash in such a name."""
    return "_stub.so" not in (use.needed or "")


def is_common(member: Member, table: Table) -> bool:
    """Is it a stub of anycuda's that others can only find by the common name?"""
    return _what(member) == "stub" and bool({member.file, member.soname} & _names(table))


def foreign(scan: Scan, table: Table) -> frozenset[str]:
    """Files that have the name of a stub and are not anycuda's: another project's had them once."""
    return frozenset(name for member in scan.members if _what(member) != "stub"
                     for name in (member.file, member.soname) if name in _names(table))


def standing(scan: Scan) -> frozenset[str]:
    """The wheel's own copies of CUDA libraries in whose place no stub comes."""
    return ties.standing([(member.name, member.use) for member in scan.members])


def there(scan: Scan) -> frozenset[str]:
    """Stubs, by their names in the wheel. The same name is the same stub."""
    return frozenset(member.name for member in scan.members
                     if _what(member) == "stub" and member.file == member.soname)


def lost(member: Member, inside: frozenset[str]) -> list[str]:
    """Stubs of a repaired file that are no longer beside it. No other can be put in their place: what they could do
    is unknown."""
    return [use.needed for use in member.use.uses
            if use.how == "stub" and use.needed and has_own_name(use) and use.needed not in inside]


def _names(table: Table) -> frozenset[str]:
    return frozenset(library.stub for library in table.libraries.values())


def _what(member: Member) -> str:
    return member.use.provides.what if member.use.provides else ""
