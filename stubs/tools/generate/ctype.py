# SPDX-License-Identifier: Apache-2.0
"""C types as the database writes them, and their reading.

The spelling is C's words in reading order, without nested declarators: a
base name, then suffixes from left to right. `const char *` is as in C; a pointer to function is
`void (void *) *`, an array of eight pointers `void * [8]`. `const` stands before a base or after
a `*`.
"""

from dataclasses import dataclass
from functools import cache
from typing import Optional


@dataclass(frozen=True)
class CType:
    """One node of a type: shape is base, pointer, array or function."""

    shape: str
    name: str = ""
    const: bool = False
    inner: Optional["CType"] = None
    count: int = 0
    args: tuple["CType", ...] = ()
    variadic: bool = False

    @property
    def target(self) -> "CType":
        """What a pointer points to, an array holds, a function returns."""
        if self.inner is None:
            raise TypeError(f"a {self.shape} type has no inner type")
        return self.inner


def split_top(text: str, separator: str = ",") -> list[str]:
    """Parts of `text` between separators that stand outside every bracket."""
    parts: list[str] = []
    depth = start = 0
    for index, char in enumerate(text):
        if char in "([":
            depth += 1
        elif char in ")]":
            depth -= 1
        elif char == separator and depth == 0:
            parts.append(text[start:index].strip())
            start = index + 1
    last = text[start:].strip()
    return parts + [last] if last or parts else parts


def _closing(text: str, start: int) -> int:
    depth = 0
    for index in range(start, len(text)):
        if text[index] == "(":
            depth += 1
        elif text[index] == ")":
            depth -= 1
            if depth == 0:
                return index
    raise ValueError(f"unbalanced brackets in the type {text!r}")


@cache
def parse(text: str) -> CType:
    """The type that a text of the database spells."""
    end = len(text)
    for index, char in enumerate(text):
        if char in "*([":
            end = index
            break
    base = text[:end].strip()
    const = base.startswith("const ")
    node = CType("base", name=base[6:] if const else base, const=const)
    index = end
    while index < len(text):
        char = text[index]
        if char == " ":
            index += 1
        elif char == "*":
            index += 1
            is_const = text.startswith(" const", index)
            index += 6 if is_const else 0
            node = CType("pointer", const=is_const, inner=node)
        elif char == "[":
            close = text.find("]", index)
            if close < 0:
                raise ValueError(f"unbalanced brackets in the type {text!r}")
            node = CType("array", inner=node, count=int(text[index + 1 : close] or 0))
            index = close + 1
        elif char == "(":
            close = _closing(text, index)
            items = split_top(text[index + 1 : close])
            variadic = bool(items) and items[-1] == "..."
            args = tuple(parse(word) for word in items if word != "...")
            node = CType("function", inner=node, args=args, variadic=variadic)
            index = close + 1
        else:
            raise ValueError(f"cannot read the type {text!r} at {text[index:]!r}")
    return node


def split_name(text: str) -> tuple[str, str]:
    """`void * * devPtr` into the type and the parameter's name (the last word)."""
    kind, _, name = text.rpartition(" ")
    return kind.strip(), name


@dataclass(frozen=True)
class RawParam:
    name: str
    type: str
    out: bool


@cache
def parse_prototype(text: str) -> tuple[str, tuple[RawParam, ...], bool]:
    """`cudaError_t (out void * * devPtr, size_t size)`: result, parameters, variadic."""
    open_at = text.rindex("(") if text.endswith("()") else _opening(text)
    result = text[:open_at].strip()
    params: list[RawParam] = []
    variadic = False
    for word in split_top(text[open_at + 1 : -1]):
        if word == "...":
            variadic = True
            continue
        out = word.startswith("out ")
        kind, name = split_name(word[4:] if out else word)
        params.append(RawParam(name, kind, out))
    return result, tuple(params), variadic


def _opening(text: str) -> int:
    """Where the bracket that the last character closes was opened."""
    depth = 0
    for index in range(len(text) - 1, -1, -1):
        if text[index] == ")":
            depth += 1
        elif text[index] == "(":
            depth -= 1
            if depth == 0:
                return index
    raise ValueError(f"cannot read the prototype {text!r}")
