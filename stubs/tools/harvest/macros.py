# SPDX-License-Identifier: Apache-2.0
"""Macros of a header: those with an integer value, and those that turn a function's name.

A macro is not taken apart by hand: the parser expands it into a string in a second pass, so that
what is read is exactly what a program that uses the name would get.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable

from .libraries import LibraryRow

_CAST = re.compile(r"\(\s*(?:struct |enum )?[A-Za-z_]\w*(?:\s+\w+)*\s*\**\s*\)(?=\s*[-(\w])")
_SUFFIX = re.compile(r"\b(0[xX][0-9a-fA-F]+|\d+)[uUlL]+\b")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*\Z")
_ALLOWED = re.compile(r"[-+*/%&|^~<>()\s0-9a-fA-FxX]+\Z")


@dataclass
class MacroFacts:
    values: dict[str, str] = field(default_factory=dict)
    redirects: dict[str, str] = field(default_factory=dict)


def evaluate(text: str, enumerators: dict[str, int]) -> int | None:
    """The integer a fully expanded macro stands for, or None; casts to a handle keep the number."""
    unsigned = re.search(r"\b(?:0[xX][0-9a-fA-F]+|\d+)([lL]*)[uU]", text)
    text = re.sub(r"\b[A-Za-z_]\w*\b", lambda m: str(enumerators.get(m[0], m[0])), text)
    text = _CAST.sub("", _SUFFIX.sub(r"\1", text)).strip()
    if not text or not _ALLOWED.match(text) or "**" in text:
        return None
    try:
        value = eval(text, {"__builtins__": {}})  # digits and operators only, see _ALLOWED
    except (SyntaxError, TypeError, ZeroDivisionError, NameError):
        return None
    if not isinstance(value, int):
        return None
    return value % 2 ** (64 if unsigned[1] else 32) if unsigned and value < 0 else value  # ~0u


def lies_in(cursor: Any, folder: Path) -> bool:
    """Whether a file of the folder has the declaration or macro (one of the command line is in no file)."""
    return str(cursor.location.file or "").startswith(str(folder))


def read(
    unit: Any, source: str, arguments: list[str], folder: Path, row: LibraryRow, facts: Any, parse: Callable[..., Any]
) -> MacroFacts:
    """Values and redirections of the macros that the headers in `folder` leave defined."""
    from clang.cindex import CursorKind

    candidates: list[str] = []
    for cursor in unit.cursor.get_children():
        if cursor.kind != CursorKind.MACRO_DEFINITION or not lies_in(cursor, folder):
            continue
        name = cursor.spelling
        if name.startswith(row.prefixes) and not name.endswith("_H__"):
            candidates.append(name)
    candidates = sorted(set(candidates))
    probes = "".join(
        f"#ifdef {n}\nconst char *anycuda_probe_{n} = ANYCUDA_TEXT({n});\n#endif\n"
        for n in candidates
    )
    helper = (
        "#define ANYCUDA_TEXT_(...) #__VA_ARGS__\n"
        "#define ANYCUDA_TEXT(...) ANYCUDA_TEXT_(__VA_ARGS__)\n"
    )
    second = parse(source + helper + probes, arguments)
    enumerators = {name: value for values in facts.enums.values() for name, value in values.items()}
    enumerators.update(_all_enumerators(second))
    result = MacroFacts()
    for cursor in second.cursor.get_children():
        if cursor.kind != CursorKind.VAR_DECL or not cursor.spelling.startswith("anycuda_probe_"):
            continue
        name = cursor.spelling.removeprefix("anycuda_probe_")
        literals = [c for c in cursor.walk_preorder() if c.kind == CursorKind.STRING_LITERAL]
        if not literals:
            continue
        text = literals[0].spelling[1:-1]
        if text == name:
            continue
        if _IDENTIFIER.match(text) and text in facts.prototypes:
            result.redirects[name] = text
            continue
        value = evaluate(text, enumerators)
        if value is not None:
            result.values[name] = str(value)
    return result


def _all_enumerators(unit: Any) -> dict[str, int]:
    from clang.cindex import CursorKind

    return {
        child.spelling: child.enum_value
        for cursor in unit.cursor.get_children()
        if cursor.kind == CursorKind.ENUM_DECL
        for child in cursor.get_children()
        if child.kind == CursorKind.ENUM_CONSTANT_DECL
    }
