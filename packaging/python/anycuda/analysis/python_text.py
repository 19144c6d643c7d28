# SPDX-License-Identifier: Apache-2.0
"""The string constants and import statements of a Python file of any Python version. Pure.

Only these pieces are parsed: the tree of a whole file takes up to 800 times its size, and seconds per megabyte. tree()
is for the few files whose calls matter.
"""

from __future__ import annotations

import ast
import functools
import re
import warnings
from dataclasses import dataclass, field

# Tokens that end a statement, open or close a bracket, or begin a string or a comment.
_MARK = re.compile(rb"#[^\n]*|\"\"\"|'''|\\\r?\n|[\"'()\[\]{};:]")
_CLOSING = {quote: re.compile(rb"\\(?:\r\n|[\s\S])|" + quote + (rb"|\n" if len(quote) == 1 else b""))
            for quote in (b'"', b"'", b'"""', b"'''")}
_PREFIX = re.compile(rb"(?<![\w])[bBfFrRtTuU]{1,2}\Z")
_LONGEST_PREFIX = 2
_FORMATTED = re.compile(rb"[fFtT]")
_BLOCK = re.compile(rb"[ \t\f]*(?:async[ \t]+)?(?:class|def|elif|else|except|finally|for|if|try|while|with)\b")
_IMPORT = re.compile(rb"[ \t\f]*(?:import|from)\b")
_IMPORT_CALL = re.compile(rb"\b(?:__import__|import_module)[ \t]*\(\s*\Z")  # a string follows
_LONGEST_CALL = 64  # bytes of its name, the parenthesis and the blanks
_IMPORT_LINE = re.compile(rb"^[ \t\f]*(?:import|from)\b[^\n]*", re.M)
_LARGEST = 1 << 16  # bytes of a piece that is parsed; a longer string is a text, not a name
_LARGEST_FILE = 1 << 17  # bytes of a file that is parsed; deeply nested code of 1 << 18 bytes crashes Python 3.9


@dataclass
class Pieces:
    """`strings`: string literals as written, adjacent ones as one, without docstrings and other bare strings.
    `imports`: statements; `import a.b` for a call like __import__("a.b")."""

    strings: list[bytes] = field(default_factory=list)
    imports: list[bytes] = field(default_factory=list)


@dataclass
class _Statement:
    """`bare`: it consists only of strings so far. `strings`: (start, end) of each, adjacent literals as one. `joins`:
    only blanks and comments follow the last string."""

    start: int
    bare: bool = True
    strings: list[tuple[int, int]] = field(default_factory=list)
    joins: bool = False
    block: bool | None = None  # does it begin like one that a colon ends?

    def add_string(self, start: int, end: int, formatted: bool) -> None:
        self.bare &= not formatted  # an f-string is not a docstring
        if self.joins:
            start = self.strings.pop()[0]
        self.strings.append((start, end))
        self.joins = True

    def add_code(self, code: bytes) -> None:
        if code and not code.isspace():
            self.bare = self.joins = False


@functools.lru_cache(maxsize=1)
def pieces(text: bytes) -> Pieces | None:
    """The pieces of a file; None if a string in it does not end."""
    return _Reader(text).read()


class _Reader:
    def __init__(self, text: bytes) -> None:
        self.text, self.depth, self.found, self.statement = text, 0, Pieces(), _Statement(0)

    def read(self) -> Pieces | None:
        at = 0
        while mark := _MARK.search(self.text, at):
            what, start, end = mark[0], mark.start(), mark.end()
            if what in _CLOSING:
                prefix = _PREFIX.search(self.text, max(at, start - _LONGEST_PREFIX - 1), start)
                begin, start, end = end, prefix.start() if prefix else start, _end_of_string(self.text, end, what)
                if not end:
                    return None
                if _IMPORT_CALL.search(self.text, max(start - _LONGEST_CALL, 0), start):
                    self.found.imports.append(b"import " + self.text[begin:end - len(what)])
                self._code(at, start)
                self.statement.add_string(start, end, prefix is not None and _FORMATTED.search(prefix[0]) is not None)
            else:
                self._code(at, start)
                self._mark(what, end)
            at = end
        self._code(at, len(self.text))
        self._end(len(self.text), len(self.text))
        return self.found

    def _mark(self, what: bytes, end: int) -> None:
        if what in b"([{":
            self.depth += 1
        elif what in b")]}":
            self.depth = max(self.depth - 1, 0)
        elif what == b";" and not self.depth or what == b":" and self._is_block():
            self._end(end - 1, end)
            return
        if what in b"[]{}:;":  # parentheses may be around a docstring
            self.statement.add_code(what)
        elif what == b"(":
            self.statement.joins = False

    def _is_block(self) -> bool:
        if self.statement.block is None:
            self.statement.block = _BLOCK.match(self.text, self.statement.start) is not None
        return self.statement.block and not self.depth

    def _code(self, start: int, end: int) -> None:
        """Reads code without strings; outside brackets each line is a statement."""
        first = -1 if self.depth else self.text.find(b"\n", start, end)
        if first < 0:
            self.statement.add_code(self.text[start:end])
            return
        self.statement.add_code(self.text[start:first])
        self._end(first, first)
        last = self.text.rfind(b"\n", start, end)
        self.found.imports += _IMPORT_LINE.findall(self.text, first, last)
        self.statement = _Statement(last + 1)
        self.statement.add_code(self.text[last + 1:end])

    def _end(self, end: int, following: int) -> None:
        """Ends a statement and starts the next one."""
        ended, self.statement = self.statement, _Statement(following)
        if ended.strings and not ended.bare:
            self.found.strings += [self.text[start:stop] for start, stop in ended.strings]
        if _IMPORT.match(self.text, ended.start, end):
            self.found.imports.append(self.text[ended.start:end])


def _end_of_string(text: bytes, at: int, quote: bytes) -> int:
    """The end of the string; 0 if it does not end."""
    for found in _CLOSING[quote].finditer(text, at):
        if found[0] == quote:
            return found.end()
        if found[0] == b"\n":
            break
    return 0


@functools.lru_cache(maxsize=128)
def values(string: bytes) -> tuple[bytes, ...] | None:
    """The values of the constants at run time, with {} for the gaps of an f-string; None if this Python cannot parse
    them."""
    if len(string) > _LARGEST:
        return ()
    found = _parsed(b"(" + string + b"\n)")
    return None if found is None else tuple(_values(found))


@functools.lru_cache(maxsize=128)
def modules(statement: bytes) -> tuple[str, ...]:
    """a.b for `import a.b` and `from a import b`, a.b.c for `from a.b import c`."""
    parsed = _parsed(statement.strip()) if len(statement) <= _LARGEST else None
    found = []
    for node in ast.walk(parsed) if parsed else ():
        if isinstance(node, ast.Import):
            found += [one.name for one in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found += [f"{node.module}.{one.name}" for one in node.names]
    return tuple(found)


def tree(content: bytes) -> ast.Module | None:
    """The tree of a whole file; None if the file is too large or this Python cannot parse it."""
    return _parsed(content) if len(content) <= _LARGEST_FILE else None


def _parsed(text: bytes) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as those about "\d" in the wheel's code
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _values(parsed: ast.AST) -> list[bytes]:
    found = []
    parts: set[ast.AST] = set()  # pieces of f-strings
    for node in ast.walk(parsed):  # a parent comes before its children
        if isinstance(node, ast.JoinedStr):
            parts.update(node.values)
            found.append(b"".join(_bytes(one.value) if isinstance(one, ast.Constant) else b"{}" for one in node.values))
        elif isinstance(node, ast.Constant) and node not in parts:
            found.append(_bytes(node.value))
    return found


def _bytes(value: object) -> bytes:
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    return value if isinstance(value, bytes) else b""
