# SPDX-License-Identifier: Apache-2.0
"""A record as the fields that lie in it, through every record inside, and where they may not meet.

What counts for a caller is where each field lies in the whole, not how the fields are nested.
"""

import re
from dataclasses import dataclass
from typing import Any

from . import ctype
from .ctype import CType
from .layout import Record, TypeTable

_RESERVED = re.compile(
    r"(?i)^(\w*_)?(reserved|pad|padding|unused)_?\d*_*$|^(?-i:\w*[a-z]Reserved\d*)$"
)


def is_reserved(name: str) -> bool:
    """Is a field of this name space that a later version may use?"""
    return bool(_RESERVED.search(name))


@dataclass(frozen=True)
class Leaf:
    """A field that is not a record: its place in the whole, in bits, and the members of unions (place and
    size of the union, member) that it belongs to."""

    path: str
    start: int
    end: int
    type: CType
    reserved: bool
    unions: tuple[tuple[int, int, str], ...]


def flatten(
    record: Record,
    types: TypeTable,
    base: int = 0,
    prefix: str = "",
    reserved: bool = False,
    unions: tuple[Any, ...] = (),
) -> list[Leaf]:
    """The leaves of a record. An array of records stays one leaf: its elements keep their size."""
    result: list[Leaf] = []
    for item in record.fields:
        node = ctype.parse(item.type)
        resolved = types.resolve(node)
        start = base + item.offset * 8 + item.bit
        spare = reserved or is_reserved(item.name)
        inside = unions
        if record.key.startswith("union "):
            inside = (*unions, (base, record.size, f"{item.name}@{item.offset}"))
        if resolved.kind == "struct" and not types.record(resolved.tag).opaque:
            longer = prefix if item.name == "-" else f"{prefix}{item.name}."
            result += flatten(types.record(resolved.tag), types, start, longer, spare, inside)
        else:
            end = start + (item.bits or resolved.size * 8)
            result.append(Leaf(prefix + item.name, start, end, node, spare, inside))
    return result


def place(leaf: Leaf) -> str:
    size = leaf.end - leaf.start
    text = f"byte {leaf.start // 8}" + (f" bit {leaf.start % 8}" if leaf.start % 8 else "")
    return f"{text}, " + (f"{size // 8} bytes" if size % 8 == 0 else f"{size} bits")


def _alternatives(leaf: Leaf, other: Leaf) -> bool:
    """Do the two lie in different members of one union, so that only one of them counts?"""
    members = {(start, size): name for start, size, name in leaf.unions}
    return any(members.get((start, size), name) != name for start, size, name in other.unions)


def fits(leaf: Leaf, own: dict[str, Leaf], others: dict[str, Leaf]) -> bool:
    """Does a field that only one side has lie where the other side has nothing that counts:
    padding, reserved fields, or other members of the same union?"""
    for other in others.values():
        if other.reserved or other.end <= leaf.start or leaf.end <= other.start:
            continue
        known = own.get(other.path)
        if _alternatives(leaf, known if known is not None else other):
            continue
        return False
    return True
