# SPDX-License-Identifier: Apache-2.0
"""The mutants of a C++ file: one change each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from cpp_tokens import Token, tokenize

_OPERATORS = {
    "<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"), "==": ("!=",), "!=": ("==",),
    "&&": ("||",), "||": ("&&",),
    "+": ("-",), "-": ("+",), "*": ("/",), "/": ("*",), "%": ("*",), "+=": ("-=",), "-=": ("+=",),
    "&": ("|",), "|": ("&",), "|=": ("&=",), "&=": ("|=",), "<<": (">>",), ">>": ("<<",),
}
_RELATIONS = {"<", "<=", ">", ">=", "==", "!="}
_LOGIC = {"&&", "||"}
_NOT_A_STATEMENT = {
    "if", "for", "while", "do", "switch", "else", "case", "default", "try", "catch", "using", "namespace", "template",
    "struct", "class", "enum", "union", "const", "constexpr", "static", "auto", "typedef", "static_assert", "public",
    "private", "protected"}
_NUMBER = re.compile(r"(0[xX][0-9a-fA-F']+|0[bB][01']+|[0-9][0-9']*)([uUlLzZ]*)\Z")
_BEFORE_CONDITION = {"return", "=", "(", ",", "?", ":", "{", "[", ";", "+=", "|=", "&=", "<<"}


@dataclass(frozen=True)
class Key:
    """What a mutant is called, wherever its line stands in the file."""
    file: str
    function: str
    line: str  # its text
    mutation: str  # "< to <="; "< to <= (2)" for the second such change of this line

    def __str__(self) -> str:
        return f"{self.file}, {self.function or 'outside of functions'}: {self.line}\n    {self.mutation}"


@dataclass(frozen=True)
class Mutant:
    key: Key
    number: int  # of the line
    text: str  # of the whole file


Change = tuple[int, int, str, str]  # from, to, the new text, what it is called


def mutants_of(file: str, text: str) -> list[Mutant]:
    tokens = tokenize(text)
    function_at = {token.start: token.function for token in tokens}
    names: Counter[Key] = Counter()
    mutants = []
    for start, end, new, name in sorted(_changes(tokens, text)):
        begin = text.rfind("\n", 0, start) + 1
        line = text[begin:text.find("\n", start)].strip()
        key = Key(file, function_at[start], line, name)
        names[key] += 1
        if names[key] > 1:
            key = Key(file, key.function, line, f"{name} ({names[key]})")
        mutants.append(Mutant(key, text.count("\n", 0, start) + 1, text[:start] + new + text[end:]))
    return mutants


def _changes(tokens: list[Token], text: str) -> Iterator[Change]:
    for index, token in enumerate(tokens):
        if token.kind == "sign":
            yield from _sign(tokens, index, text)
        elif token.kind == "number":
            yield from _number(token)
        elif token.text in ("true", "false"):
            new = "false" if token.text == "true" else "true"
            yield token.start, token.end, new, f"{token.text} to {new}"
        elif token.text in ("if", "while") and tokens[index + 1].text == "(":
            yield from _condition(tokens, index + 2, tokens[index + 1].partner, text, token.text)
        elif token.text == "return":
            yield from _condition(tokens, index + 1, _end(tokens, index), text, "return")
        if token.begins_statement and not _declares(tokens, index):
            end = tokens[_end(tokens, index)]
            if end.text == ";":
                yield token.start, end.end, ";", "statement removed"


def _sign(tokens: list[Token], index: int, text: str) -> Iterator[Change]:
    token = tokens[index]
    # As clang-format writes them, operators of two operands have blanks around, and < and > of templates have none.
    spaced = text[token.start - 1].isspace() and text[token.end].isspace()
    if spaced and tokens[index - 1].text != "operator":
        for new in _OPERATORS.get(token.text, ()):
            yield token.start, token.end, new, f"{token.text} to {new}"
    if token.text == "!":
        yield token.start, token.end, "", "! dropped"
    if token.text == "?":
        yield from _condition(tokens, _begin(tokens, index), index, text, "?:")


def _number(token: Token) -> Iterator[Change]:
    found = _NUMBER.match(token.text)
    if found is None:
        return
    digits = found[1].replace("'", "")
    octal = len(digits) > 1 and digits.isdigit() and digits[0] == "0"
    value = int(digits, 8 if octal else 0)
    for new in (value + 1, 0) if value == 1 else (value + 1,):
        yield token.start, token.end, f"{new}{found[2]}", f"{token.text} to {new}"


def _condition(tokens: list[Token], first: int, last: int, text: str, name: str) -> Iterator[Change]:
    """The condition from token `first` up to `last`, negated; unless a change of its one operator does the same."""
    if last - first < 1 or last - first == 1 and tokens[first].kind != "name":
        return
    if last - first == 1 and tokens[first].text in ("true", "false", "nullptr"):
        return
    if all(token.kind == "name" for token in tokens[first:last:2]) and \
            {token.text for token in tokens[first + 1:last:2]} == {"::"}:
        return  # a value of an enumeration
    outer = _outer(tokens, first, last)
    if not outer & _LOGIC and outer & _RELATIONS or tokens[first].text == "!" and not outer & (_LOGIC | {"?"}):
        return
    if name == "return" and "?" in outer:
        return
    start, end = tokens[first].start, tokens[last - 1].end
    yield start, end, f"!({text[start:end]})", f"condition of {name} negated"


def _outer(tokens: list[Token], first: int, last: int) -> set[str]:
    """The signs between two tokens that are in no brackets."""
    signs = set()
    index = first
    while index < last:
        if tokens[index].partner > index:
            index = tokens[index].partner
        elif tokens[index].kind == "sign":
            signs.add(tokens[index].text)
        index += 1
    return signs


def _begin(tokens: list[Token], index: int) -> int:
    """Where the expression before token `index` begins."""
    at = index - 1
    while at > 0 and tokens[at].text not in _BEFORE_CONDITION:
        if 0 <= tokens[at].partner < at:
            at = tokens[at].partner
        at -= 1
    return at + 1


def _declares(tokens: list[Token], index: int) -> bool:
    """Is this no statement that can be left out? A variable without its declaration does not compile."""
    name, following = tokens[index:index + 2]
    return name.text in _NOT_A_STATEMENT or name.kind == following.kind == "name" and name.text != "return"


def _end(tokens: list[Token], index: int) -> int:
    """The semicolon or closing bracket that ends the statement from token `index` on."""
    while index < len(tokens) - 1 and tokens[index].text != ";" and not 0 <= tokens[index].partner < index:
        index = tokens[index].partner + 1 if tokens[index].partner > index else index + 1
    return index
