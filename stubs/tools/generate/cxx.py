# SPDX-License-Identifier: Apache-2.0
"""The database's types as C++: one namespace per major, with the names and fields of NVIDIA's headers.

Adapters are written against this, so that every struct they touch and every call they make is checked
by the compiler against the database. A record that two majors have alike is one C++ type, by alias;
one that differs is two, and nothing but a conversion leads from the one to the other. Enumerations are
their integers: the majors disagree about which enumerators there are, not about their values.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Union

from . import ctype
from .ctype import CType
from .layout import Record, TypeTable

_KEYWORDS = {"default", "new", "delete", "class", "private", "template", "operator", "this"}


def identifier(key: str) -> str:
    """`union cudaResourceDesc.res` is cudaResourceDesc_res."""
    return re.sub(r"\W", "_", key.split(" ", 1)[-1])


@dataclass
class Space:
    """One namespace: the types of one version, what it is called, where its records are defined."""

    name: str
    types: TypeTable
    owners: dict[str, str] = field(default_factory=dict)  # record's key -> namespace that defines it


@dataclass
class Writer:
    """Spaces in the order they were added; a record is defined in the first that has it so."""

    spaces: list[Space] = field(default_factory=list)
    opaque_space: str = "opaque"  # namespace of the types that NVIDIA keeps to itself; "" is the global one
    opaque: set[str] = field(default_factory=set)
    defined: dict[tuple[Any, ...], str] = field(default_factory=dict)  # what a record is -> its namespace
    known: dict[tuple[str, str], tuple[Any, ...]] = field(default_factory=dict)

    def add(self, name: str, types: TypeTable) -> Space:
        space = Space(name, types)
        self.spaces.append(space)
        for key in sorted(types.bodies):
            if not key.startswith(("struct ", "union ")) or "@" in key:
                continue
            record = types.record(key)
            if record.opaque:
                self.opaque.add(key)
                continue
            space.owners[key] = self.defined.setdefault((key, self._meaning(space, key, ())), name)
        return space

    def _meaning(self, space: Space, key: str, running: tuple[Any, ...]) -> tuple[Any, ...]:
        """All that a record is, through the records it holds or points to."""
        if key in running:
            return (key,)
        at = (space.name, key)
        if at not in self.known:
            record = space.types.record(key)
            parts = tuple((item.offset, item.bit, item.bits, item.name,
                           self._word(space, ctype.parse(item.type), (*running, key)))
                          for item in record.fields)
            meaning = (record.size, record.align, parts)
            if running:
                return meaning  # in the middle of a circle: not the whole truth
            self.known[at] = meaning
        return self.known[at]

    def _word(self, space: Space, node: CType, running: tuple[Any, ...]) -> tuple[Any, ...]:
        if node.shape != "base":
            return (node.shape, node.count, self._word(space, node.target, running),
                    *(self._word(space, argument, running) for argument in node.args))
        resolved = space.types.resolve(node)
        if resolved.type.shape != "base":
            return self._word(space, resolved.type, running)
        if resolved.kind == "struct" and not space.types.record(resolved.tag).opaque:
            return (resolved.tag, self._meaning(space, resolved.tag, running))
        return (resolved.tag or resolved.type.name, resolved.size)

    def spell(self, space: Space, text_or_node: Union[str, CType]) -> str:
        """A type as C++ spells it, in any place where a type may stand."""
        node = ctype.parse(text_or_node) if isinstance(text_or_node, str) else text_or_node
        if node.shape == "pointer":
            return self.spell(space, node.target) + "*" + (" const" if node.const else "")
        if node.shape == "array":
            return f"Array<{self.spell(space, node.target)}, {node.count}>"
        if node.shape == "function":
            words = [self.spell(space, node.target), *(self.spell(space, argument) for argument in node.args)]
            return f"Function<{', '.join(words)}>"
        const = "const " if node.const else ""
        if "@" in node.name:  # a struct of another major, by review (internals.txt)
            key, _, version = node.name.partition("@")
            return f"{const}v{version.split('.')[0]}::{identifier(key)}"
        resolved = space.types.resolve(CType("base", name=node.name))
        if resolved.type.shape != "base":
            inner = self.spell(space, resolved.type)
            return f"{inner} const" if const and resolved.type.shape == "pointer" else const + inner
        if resolved.kind == "struct":
            return const + self._record_name(space, resolved.tag)
        if resolved.tag.startswith("enum "):
            return const + space.types.underlying(resolved.tag)
        return const + {"_Bool": "bool"}.get(resolved.type.name, resolved.type.name)

    def _record_name(self, space: Space, key: str) -> str:
        owner = space.owners.get(key)
        return f"{owner}::{identifier(key)}" if owner else f"{self.opaque_space}::{identifier(key)}"

    def record_is_shared(self, space: Space, other: Space, key: str) -> bool:
        return space.owners.get(key, "") == other.owners.get(key, "")

    def opaque_types(self) -> str:
        """Handles and other types that some version keeps to itself: one type for all, so that the
        runtime's cudaStream_t is the driver's CUstream."""
        return "\n".join(f"{key.split(' ')[0]} {identifier(key)};" for key in sorted(self.opaque))

    def definitions(self, space: Space) -> str:
        """Records, typedefs, enumerators and integer macros of a space."""
        mine = [key for key, owner in space.owners.items() if owner == space.name]
        lines = [f"{key.split(' ')[0]} {identifier(key)};" for key in mine if not _nameless(key)]
        done: set[str] = set()
        for key in mine:
            self._define(space, key, done, lines)
        named = {identifier(key) for key in mine}
        for key, owner in sorted(space.owners.items()):
            if owner != space.name and not _nameless(key):
                lines.append(f"using {identifier(key)} = {owner}::{identifier(key)};")
                named.add(identifier(key))
        for key in sorted(space.types.bodies):
            if key.startswith("enum "):
                named.add(identifier(key))
                lines.append(f"using {identifier(key)} = {space.types.underlying(key)};")
        for key in sorted(space.types.bodies):
            if key.startswith("typedef ") and identifier(key) not in named:
                lines.append(f"using {identifier(key)} = {self.spell(space, space.types.bodies[key][0])};")
        return "\n".join(lines + list(self._constants(space)))

    def _constants(self, space: Space) -> Iterator[str]:
        seen: set[str] = set()
        for owner, values in sorted(space.types.enumerators.items()):
            for name, value in values.items():
                if owner in space.types.bodies and name not in seen:
                    seen.add(name)
                    yield f"constexpr {space.types.underlying(owner)} {name} = " + _number(value) + ";"
        for name, value in sorted(space.types.macros.items()):
            if name not in seen and re.fullmatch(r"(cuda|CUDA|CU_)\w+", name):
                yield f"constexpr long long {name} = {_number(value)};"

    def _define(self, space: Space, key: str, done: set[str], lines: list[str]) -> None:
        if key in done or space.owners.get(key) != space.name:
            return
        done.add(key)
        record = space.types.record(key)
        for needed in _inside(record, space.types):
            self._define(space, needed, done, lines)
        if _nameless(key):
            return
        name = identifier(key)
        natural = _natural_alignment(record, space.types)
        align = f"alignas({record.align}) " if record.align != natural else ""
        lines.append(f"{key.split(' ')[0]} {align}{name} {{")
        lines += self._members(space, record)
        lines.append("};")
        lines.append(f"static_assert(sizeof({name}) == {record.size} && alignof({name}) == {record.align});")
        lines += [f"static_assert(__builtin_offsetof({name}, {member}) == {offset});"
                  for member, offset in _members_at(record, space.types) if offset]

    def _members(self, space: Space, record: Record) -> list[str]:
        lines = []
        for item in record.fields:
            resolved = space.types.resolve_text(item.type)
            if item.name == "-":
                lines += [f"{resolved.tag.split(' ')[0]} {{",
                          *self._members(space, space.types.record(resolved.tag)), "};"]
            else:
                bits = f" : {item.bits}" if item.bits else ""
                lines.append(f"{self.spell(space, item.type)} {member(item.name)}{bits};")
        return lines


def member(name: str) -> str:
    return name + "_" if name in _KEYWORDS else name


def _number(value: int) -> str:
    if value > 2**63 - 1:
        return f"static_cast<long long>({value}ULL)"
    return f"{value}ULL" if value > 2**31 else str(value)


def _nameless(key: str) -> bool:
    return re.search(r"\.-\d+", key) is not None and not re.search(r"\.-\d+\.", key)


def _inside(record: Record, types: TypeTable) -> list[str]:
    """Records that lie in this one by value."""
    found = []
    for item in record.fields:
        resolved = types.resolve_text(item.type)
        if resolved.kind in ("struct", "array") and resolved.tag.startswith(("struct ", "union ")):
            found.append(resolved.tag)
    return found


def _members_at(record: Record, types: TypeTable, base: int = 0) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    for item in record.fields:
        if item.bits:
            continue
        if item.name == "-":
            inner = types.record(types.resolve_text(item.type).tag)
            found += _members_at(inner, types, base + item.offset)
        else:
            found.append((member(item.name), base + item.offset))
    return found


def _natural_alignment(record: Record, types: TypeTable) -> int:
    return max([1, *(types.resolve_text(item.type).align for item in record.fields)])
