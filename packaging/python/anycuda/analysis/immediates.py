"""Names of libraries that a compiler has put into instructions of x86-64, not into its strings.

GCC builds a short name (`std::string("libcufft.so.12")`) from two immediates of 8 bytes that overlap: "libcufft" and
"ft.so.12", or "t.so.12" and the NUL; one of 12 characters from 8 and 4. Both have to be there, close to each other, as
operands of the instructions that load or store such a number, so that chance makes no name. Longer names are strings.
"""

from __future__ import annotations

import re
from typing import Iterable

_HEAD, _SHORT, _LONG = 8, 12, 16
_SPAN = 224  # bytes of instructions behind the head; with it less than what contents.py keeps of a piece
_STORE = rb"\xc7[\s\S]{1,6}"  # mov of 4 bytes to memory: ModRM, perhaps SIB and a displacement


class Immediates:
    def __init__(self, names: Iterable[str]) -> None:
        self._names: dict[bytes, list[bytes]] = {}
        for name in sorted({name.encode() for name in names if _HEAD < len(name) <= _LONG}):
            self._names.setdefault(name[:_HEAD], []).append(name)
        self._heads = re.compile(b"|".join(map(re.escape, self._names)) or b"(?!)")

    def of(self, code: bytes) -> set[str]:
        found = set()
        for head in self._heads.finditer(code):
            if _is_movabs(code, head.start()):
                rest = code[head.end(): head.end() + _SPAN]
                found |= {name.decode() for name in self._names[head[0]] if _has_end(rest, name)}
        return found


def _is_movabs(code: bytes, at: int) -> bool:
    """Is the number at `at` loaded into a register? REX.W (with REX.B for r8 to r15), then B8 + register."""
    return at >= 2 and code[at - 2] in b"\x48\x49" and 0xb8 <= code[at - 1] <= 0xbf


def _has_end(code: bytes, name: bytes) -> bool:
    for end in (name[-_HEAD:], name[1 - _HEAD:] + b"\0"):
        at = code.find(end)
        while at >= 0:
            if _is_movabs(code, at):
                return True
            at = code.find(end, at + 1)
    return len(name) == _SHORT and re.search(_STORE + re.escape(name[_HEAD:]), code) is not None
