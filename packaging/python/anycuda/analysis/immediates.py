# SPDX-License-Identifier: Apache-2.0
"""Names of libraries that a compiler put into instructions of x86-64 instead of strings.

GCC builds a short name (`std::string("libcufft.so.12")`) from two immediates that overlap: "libcufft" and "ft.so.12",
or "t.so.12" and the NUL; "libcudnn" and "n.so"; or from consecutive ones: "libcudnn", ".s" and "o". To exclude chance,
all must be near each other, as operands of instructions that load or store such a number. A name without a number
("libcublas.so" may begin a longer one) and small pieces also need the length that std::string keeps. A name of 16
characters may be a constant among the data (constants()). Longer names are strings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_HEAD, _SHORT, _LONG = 8, 12, 16
_BEFORE, _SPAN = 32, 208  # bytes of instructions around the head; together less than contents.py keeps of a piece
_UNNUMBERED = b".so"
_STORE = rb"\xc7[\s\S]{1,6}"  # mov of 4 bytes to memory: ModRM, perhaps SIB and a displacement
_OPERANDS = {4: rb"(?:\xc7[\s\S]{1,6}|[\xb8-\xbf])%s", 2: rb"(?:\x66\xc7[\s\S]{1,6}%s|[\xb8-\xbf]%s\0\0)",
             1: rb"(?:\xc6[\s\S]{1,6}|[\xb0-\xb7])%s"}

# The bytes around a part of a text; a match at the end of its piece is left to the next piece.
_BEFORE_TEXT, _BEHIND_TEXT = re.compile(rb"[\s/]"), re.compile(rb"[\0\s./:,;)'\"%_\d-]|\Z")


class Immediates:
    def __init__(self, names: Iterable[str]) -> None:
        self._names: dict[bytes, list[bytes]] = {}
        short = sorted({name.encode() for name in names if _HEAD < len(name) <= _LONG})
        self._constants = re.compile(_any_of(name for name in short if len(name) == _LONG))
        for name in short:
            self._names.setdefault(name[:_HEAD], []).append(name)
        self._heads = re.compile(_any_of(self._names))

    def names_in(self, code: bytes) -> set[str]:
        names = set()
        for head in self._heads.finditer(code):
            if _is_movabs(code, head.start()):
                rest = code[head.end(): head.end() + _SPAN]
                around = code[max(head.start() - _BEFORE, 0): head.start()] + rest
                names |= {name.decode() for name in self._names[head[0]]
                          if _has_end(rest, name) or _has_pieces(around, name)}
        return names

    def constants(self, data: bytes, address: int) -> set[str]:
        """Names in a constant of 16 bytes, which one instruction loads: it is aligned to 16 and has no NUL after it.
        `address`: the address of the first byte."""
        return {match[0].decode() for match in self._constants.finditer(data) if (address + match.start()) % _LONG == 0
                and not _BEFORE_TEXT.match(data, max(match.start() - 1, 0), match.start())
                and not _BEHIND_TEXT.match(data, match.end())}


def _any_of(names: Iterable[bytes]) -> bytes:
    return b"|".join(map(re.escape, names)) or b"(?!)"


def _is_movabs(code: bytes, at: int) -> bool:
    """Is the number at `at` loaded into a register? REX.W (with REX.B for r8 to r15), then B8 + register."""
    return at >= 2 and code[at - 2] in b"\x48\x49" and 0xb8 <= code[at - 1] <= 0xbf


def _has_end(code: bytes, name: bytes) -> bool:
    """Has the code the last bytes, which overlap the first 8 or follow them?"""
    if name.endswith(_UNNUMBERED) and not _has(code, 4, _length_of(name)):
        return False
    for end in (name[-_HEAD:], name[1 - _HEAD:] + b"\0"):
        at = code.find(end)
        while at >= 0:
            if _is_movabs(code, at):
                return True
            at = code.find(end, at + 1)
    return len(name) == _SHORT and re.search(_STORE + re.escape(name[_HEAD:]), code) is not None


def _has_pieces(code: bytes, name: bytes) -> bool:
    """Has the code the rest of the name in pieces of 4, 2 and 1, or its last 4 bytes, and its length?"""
    if not _has(code, 4, _length_of(name)):
        return False
    pieces, rest = [], name[_HEAD:]
    for size in _OPERANDS:
        if len(rest) >= size:
            pieces.append(rest[:size])
            rest = rest[size:]
    return not rest and all(_has(code, len(piece), piece) for piece in pieces) or (
        len(name) < _SHORT and _has(code, 4, name[-4:]))


def _length_of(name: bytes) -> bytes:
    return len(name).to_bytes(4, "little")


def _has(code: bytes, size: int, number: bytes) -> bool:
    return re.search(_OPERANDS[size].replace(b"%s", re.escape(number)), code) is not None
