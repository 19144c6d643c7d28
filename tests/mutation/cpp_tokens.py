# SPDX-License-Identifier: Apache-2.0
"""The tokens of a C++ file, without comments, and which function each of them is in."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""
    (?P<blank>\s+|//[^\n]*|/\*.*?\*/)
  | (?P<directive>^[ \t]*\#(?:\\\n|[^\n])*)
  | (?P<text>(?:u8|[uUL])?(?:R"(?P<mark>[^()\\\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'))
  | (?P<number>\.?\d(?:[eEpP][+-]|'(?=\w)|[\w.])*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<sign><<=|>>=|->\*|\.\.\.|::|->|\+\+|--|&&|\|\||<<|>>|[-+*/%&|^=!<>]=|[-+*/%&|^=!<>~?:;,.(){}\[\]])
    """, re.VERBOSE | re.MULTILINE | re.DOTALL)

_SCOPES = {"namespace", "struct", "class", "enum", "union", "extern"}
_OPENING = {"(": ")", "[": "]", "{": "}"}
_CONTROL = {"if", "for", "while", "switch"}


@dataclass
class Token:
    kind: str  # text, number, name or sign
    text: str
    start: int
    end: int
    function: str = ""  # the name of the function that it is in
    partner: int = -1  # of a bracket: the index of the other one
    begins_statement: bool = False
    block: bool = False  # of "{": statements follow


class Unreadable(Exception):
    """The text is not C++ that this tokenizer reads."""


def tokenize(text: str) -> list[Token]:
    tokens = []
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise Unreadable(f"unknown character {text[at]!r} in line {text.count(chr(10), 0, at) + 1}")
        at = found.end()
        kind = found.lastgroup if found.lastgroup != "mark" else "text"
        if kind not in ("blank", "directive"):
            tokens.append(Token(kind, found[0], found.start(), found.end()))
    _pair(tokens)
    _structure(tokens)
    return tokens


def _pair(tokens: list[Token]) -> None:
    stack: list[int] = []
    for index, token in enumerate(tokens):
        if token.kind != "sign":
            continue
        if token.text in _OPENING:
            stack.append(index)
        elif token.text in _OPENING.values():
            if not stack or _OPENING[tokens[stack[-1]].text] != token.text:
                raise Unreadable(f"a {token.text} without its beginning")
            token.partner = stack.pop()
            tokens[token.partner].partner = index
    if stack:
        raise Unreadable(f"a {tokens[stack[-1]].text} without its end")


def _structure(tokens: list[Token]) -> None:
    """Fills in `function`, `block` and `begins_statement`."""
    stack: list[tuple[Token, str]] = []  # open braces, each with the function that goes on behind it
    function = ""
    declaration = 0  # where the statement or declaration begins
    depth = 0  # of ( and [ within the innermost brace
    depths: list[int] = []
    for index, token in enumerate(tokens):
        token.function = function
        before = tokens[index - 1].text if index else ";"
        inside = bool(stack) and stack[-1][0].block
        begins = depth == 0 and (before in (";", "{", "}") or inside and _ends_head(tokens, index - 1))
        if begins and (before != "}" or not stack or inside or tokens[index].text not in (",", ";", ")")):
            declaration = index
            token.begins_statement = inside and token.text not in ("{", "}", ";")
        if token.kind != "sign":
            continue
        if token.text in "([":
            depth += 1
        elif token.text in ")]":
            depth -= 1
        elif token.text == "{":
            token.block = _is_block(tokens, declaration, index)
            stack.append((token, function))
            depths.append(depth)
            depth = 0
            if token.block and not any(brace.block for brace, _ in stack[:-1]):
                function = _name(tokens[declaration:index])
        elif token.text == "}":
            function = stack.pop()[1]
            depth = depths.pop()


def _ends_head(tokens: list[Token], index: int) -> bool:
    """Does a statement begin behind this token: `if (...)`, `else`, `do`, `case x:`?"""
    token = tokens[index]
    if token.text in ("else", "do"):
        return True
    if token.text == ")" and token.partner > 0:
        return tokens[token.partner - 1].text in _CONTROL
    if token.text == ":":
        for earlier in reversed(tokens[:index]):
            if earlier.text in ("case", "default"):
                return True
            if earlier.text in (";", "{", "}", "?", "(", ":"):
                return False
    return False


def _is_block(tokens: list[Token], declaration: int, index: int) -> bool:
    head = tokens[declaration:index]
    if head and head[0].text in _SCOPES and head[-1].text != ")":
        return False
    before = tokens[index - 1].text if index else ";"
    if before in (")", "]", "else", "do", "try", "const", "noexcept", "override", ";", "{", "}", ":"):
        return True
    for token in reversed(head):  # auto f() -> Type {
        if token.text == "->":
            return True
        if token.text in (")", "=", ",", "(", "return"):
            break
    return False


def _name(head: list[Token]) -> str:
    for token, following in zip(head, head[1:]):
        if following.text == "(" and token.kind == "name" and token.text != "__attribute__":
            return token.text
    return ""
