# SPDX-License-Identifier: Apache-2.0
"""Types of one version: what a name stands for, how large it is, how it is passed by value."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, Optional

from . import ctype
from .ctype import CType

# LP64, the same on x86_64 and aarch64.
_SCALARS = {
    "void": (1, "integer"),
    "char": (1, "integer"),
    "signed char": (1, "integer"),
    "unsigned char": (1, "integer"),
    "_Bool": (1, "integer"),
    "short": (2, "integer"),
    "unsigned short": (2, "integer"),
    "int": (4, "integer"),
    "unsigned int": (4, "integer"),
    "long": (8, "integer"),
    "unsigned long": (8, "integer"),
    "long long": (8, "integer"),
    "unsigned long long": (8, "integer"),
    "float": (4, "float"),
    "double": (8, "float"),
}
_DEFINITIONS: dict[tuple[Any, ...], int] = {}
_FIELD = re.compile(r"(\d+)(?::(\d))?  (.*?)(?: :(\d+))?  (\S+)\Z")


@dataclass(frozen=True)
class Field:
    """One field: byte offset, its type as text, its name; bits is set for a bit-field alone."""

    offset: int
    type: str
    name: str
    bit: int = 0
    bits: int = 0


@dataclass(frozen=True)
class Record:
    """A struct or union; an opaque one has no size."""

    key: str
    size: int
    align: int
    fields: tuple[Field, ...]
    opaque: bool = False


@dataclass(frozen=True)
class Resolved:
    """A type with its typedefs gone. kind: integer, pointer, float, struct, void, array, function.

    `type` is the node (its inner types still hold typedef names), `tag` names the enum, struct or
    union that it is."""

    kind: str
    size: int
    align: int
    type: CType
    tag: str = ""


class UnknownType(KeyError):
    """A prototype names a type that types.txt does not have for that version."""


class TypeTable:
    """types.txt, enums.txt and macros.txt as they are in one version."""

    def __init__(
        self,
        version: str,
        bodies: Mapping[str, tuple[str, ...]],
        enumerators: Mapping[str, Mapping[str, int]],
        macros: Mapping[str, int] = MappingProxyType({}),
        file: str = "types.txt",
        opaque: frozenset[str] = frozenset(),
    ) -> None:
        self.version = version
        self.file = file  # for messages
        self.opaque = opaque  # of opaque.txt
        self.bodies = bodies
        self.enumerators = enumerators
        self.macros = macros
        self._resolved: dict[CType, Resolved] = {}
        self._records: dict[str, Record] = {}
        self._prints: dict[str, frozenset[int]] = {}
        self._definitions: dict[str, int] = {}

    def resolve_text(self, text: str) -> Resolved:
        return self.resolve(ctype.parse(text))

    def resolve(self, node: CType) -> Resolved:
        known = self._resolved.get(node)
        if known is None:
            known = self._resolved[node] = self._resolve(node)
        return known

    def _resolve(self, node: CType) -> Resolved:
        if node.shape == "pointer":
            return Resolved("pointer", 8, 8, node)
        if node.shape == "function":
            return Resolved("function", 0, 1, node)
        if node.shape == "array":
            inner = self.resolve(node.target)
            return Resolved("array", inner.size * node.count, inner.align, node, inner.tag)
        name = node.name
        scalar = _SCALARS.get(name)
        if scalar:
            size, kind = scalar
            return Resolved(
                "void" if name == "void" else kind, 0 if name == "void" else size, size, node
            )
        body = self.bodies.get(name)
        if body is None:
            target = self.bodies.get(f"typedef {name}")
            if target is None:
                raise UnknownType(f"{self.file} has no type {name!r} in version {self.version}")
            return self.resolve(ctype.parse(target[0]))
        if name.startswith("enum "):
            size = int(body[0].split()[1])
            return Resolved("integer", size, size, node, name)
        record = self.record(name)
        return Resolved("struct", record.size, record.align, node, name)

    def record(self, key: str) -> Record:
        """Layout of `struct x` or `union x`."""
        known = self._records.get(key)
        if known is None:
            known = self._records[key] = parse_record(key, self.bodies[key], self.file)
        return known

    def reached(self, text: str) -> set[str]:
        """Keys of the types that a type text leads to, through pointers, fields and typedefs."""
        found: set[str] = set()
        waiting = [text]
        while waiting:
            for name in base_names(waiting.pop()):
                key = name if name in self.bodies else f"typedef {name}"
                if key in self.bodies and key not in found:
                    found.add(key)
                    waiting += types_in(key, self.bodies[key], self.file)
        return found

    def fingerprint(self, text: str) -> frozenset[int]:
        """All that a type text means in this version: equal fingerprints are equal types."""
        known = self._prints.get(text)
        if known is None:
            known = self._prints[text] = frozenset(map(self._definition, self.reached(text)))
        return known

    def _definition(self, key: str) -> int:
        """A number for what a key stands for, the same in every table that agrees on it."""
        known = self._definitions.get(key)
        if known is None:
            meaning = (key, self.bodies[key], tuple(self.enumerators.get(key, {}).items()))
            known = self._definitions[key] = _DEFINITIONS.setdefault(meaning, len(_DEFINITIONS))
        return known

    def underlying(self, key: str) -> str:
        """The integer type of `enum x`."""
        return self.bodies[key][0].split(" ", 2)[2]

    def passing(self, resolved: Resolved) -> tuple[str, ...]:
        """Classes of a value passed on x86_64: integer or sse by eight bytes, or memory."""
        if resolved.kind in ("integer", "pointer"):
            return ("integer",)
        if resolved.kind == "float":
            return ("sse",)
        if resolved.kind != "struct" or resolved.size > 16 or resolved.size == 0:
            return ("memory",)
        classes = [""] * ((resolved.size + 7) // 8)
        self._classify(resolved.tag, 0, classes)
        return tuple(class_ or "sse" for class_ in classes)

    def homogeneous(self, resolved: Resolved) -> int:
        """The members of a structure that has floating-point numbers of one size and nothing else (AAPCS64, 5.9.5,
        homogeneous aggregates); 0 for any other."""
        sizes: list[int] = []
        if resolved.kind != "struct" or not self._float_sizes(resolved, sizes):
            return 0
        return len(sizes) if len(set(sizes)) == 1 and len(sizes) * sizes[0] == resolved.size else 0

    def _float_sizes(self, resolved: Resolved, sizes: list[int]) -> bool:
        if resolved.kind == "float":
            sizes.append(resolved.size)
            return True
        if resolved.kind == "array":
            inner = self.resolve(resolved.type.target)
            return all(self._float_sizes(inner, sizes) for _ in range(resolved.type.count))
        return resolved.kind == "struct" and all(self._float_sizes(self.resolve(ctype.parse(item.type)), sizes)
                                                 for item in self.record(resolved.tag).fields)

    def _classify(self, key: str, base: int, classes: list[str]) -> None:
        for item in self.record(key).fields:
            self._classify_type(ctype.parse(item.type), base + item.offset, classes)

    def _classify_type(self, node: CType, offset: int, classes: list[str]) -> None:
        resolved = self.resolve(node)
        if resolved.kind == "struct":
            self._classify(resolved.tag, offset, classes)
        elif resolved.kind == "array":
            step = self.resolve(resolved.type.target).size
            for index in range(resolved.type.count):
                self._classify_type(resolved.type.target, offset + index * step, classes)
        elif resolved.kind == "float":
            classes[offset // 8] = classes[offset // 8] or "sse"
        else:
            classes[offset // 8] = "integer"


def parse_record(key: str, body: tuple[str, ...], file: str) -> Record:
    if body[0] == "opaque":
        return Record(key, 0, 1, (), True)
    _, size, _, align = body[0].split()
    fields = []
    for line in body[1:]:
        match: Optional[re.Match[str]] = _FIELD.match(line)
        if not match:
            raise ValueError(f"{file}: cannot read the field {line!r} of {key}: harvest the file again "
                             "(stubs/abi.md)")
        offset, bit, text, bits, name = match.groups()
        fields.append(Field(int(offset), text, name, int(bit or 0), int(bits or 0)))
    return Record(key, int(size), int(align), tuple(fields))


@cache
def base_names(text: str) -> tuple[str, ...]:
    """Names of the types that a type text is built from."""
    return tuple(_names(ctype.parse(text)))


def _names(node: CType) -> list[str]:
    names = [node.name] if node.shape == "base" else []
    for part in (node.inner, *node.args):
        if part is not None:
            names += _names(part)
    return names


@cache
def types_in(key: str, body: tuple[str, ...], file: str) -> tuple[str, ...]:
    """Type texts inside a body of types.txt."""
    if key.startswith("typedef "):
        return (body[0],)
    if key.startswith("enum ") or body[0] == "opaque":
        return ()
    return tuple(field.type for field in parse_record(key, body, file).fields)
