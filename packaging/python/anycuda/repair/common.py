# SPDX-License-Identifier: Apache-2.0
"""Stubs under the common name (libcudart_stub.so), as CMake links them, and under the names that repair gives them in
wheels (libanycuda_cudart-c7c69a83.so). Pure."""

from __future__ import annotations

from ..analysis import ties
from ..analysis.file_use import Provided, Use
from ..analysis.libraries import Linking, Table
from .scan import Member, Scan


def has_own_name(use: Use) -> bool:
    """Is it a need of a stub under a wheel's name, which contains a hash?"""
    return "_stub.so" not in (use.needed or "")


def is_common(member: Member, table: Table) -> bool:
    """Is it a stub of anycuda that files can find only by the common name?"""
    return _is_stub(member) and bool({member.file, member.soname} & _names(table))


def foreign(scan: Scan, table: Table) -> frozenset[str]:
    """Files with the name of a stub that are not anycuda's: another project used these names once."""
    return frozenset(name for member in scan.members if not _is_stub(member)
                     for name in (member.file, member.soname) if name in _names(table))


def copies_with_runtime(scan: Scan) -> frozenset[str]:
    """The wheel's copies of CUDA libraries that stay, without a stub in their place."""
    return ties.copies_with_runtime([(member.name, member.use) for member in scan.members])


def present(scan: Scan) -> frozenset[str]:
    """The stubs in the wheel, by name. Equal names mean equal stubs."""
    return frozenset(member.name for member in scan.members
                     if _is_stub(member) and member.file == member.soname)


def missing(member: Member, inside: frozenset[str]) -> list[str]:
    """Stubs of a repaired file that are missing from the wheel. No other stub can replace them, since their functions
    are unknown."""
    return [use.needed for use in member.use.uses
            if use.how is Linking.STUB and use.needed and has_own_name(use) and use.needed not in inside]


def _names(table: Table) -> frozenset[str]:
    return frozenset(library.stub for library in table.libraries.values())


def _is_stub(member: Member) -> bool:
    return member.use.provides is not None and member.use.provides.what is Provided.STUB
