# SPDX-License-Identifier: Apache-2.0
"""The reference of the C++ libraries: a page for each, from the comments in its public headers."""

from __future__ import annotations

import re
from pathlib import Path

import markup

LIBRARIES = {
    "compat": "The guard rails find and load CUDA's components. [The manual](../docs/compatibility.md) has examples.",
    "linker": "The Linker links device code, a Program compiles it. [The manual](../docs/linker.md) has examples.",
    "graph": "CUDA graphs that keep alive what they use. [The manual](../docs/graph.md) has examples.",
}
_NAME = re.compile(
    r"^(?:class|struct|enum(?: class)?|using) ([\w:]+)|"
    r"^[\w:<>,&* ]+?[ &*](\w+)(?:\(| = |;)", re.MULTILINE)
_OUTSIDE = re.compile(r'^(?:#.*|namespace .*\{|\}  // namespace.*|(?:class|struct) \w+;|using anycuda::.*|// SPDX-.*)$')


def pages(root: Path) -> dict[str, str]:
    """Name -> text: api-compat, api-linker, api-graph."""
    return {f"api-{name}": page(root / name / "include", name, intro) for name, intro in LIBRARIES.items()}


def page(include: Path, name: str, intro: str) -> str:
    parts = [f"# anycuda::{name}", intro]
    for header in sorted(include.rglob("*.h")):
        parts.append(f"## {header.relative_to(include).as_posix()}")
        for number, (comment, code) in enumerate(blocks(header.read_text(encoding="utf-8"))):
            if code and (title := _title(code)) and number:
                parts.append(f"### {title}")
            parts += [prose(comment)] if comment else []
            parts += ["``` cpp\n" + "\n".join(code) + "\n```"] if code else []
    return "\n\n".join(parts) + "\n"


def blocks(text: str) -> list[tuple[list[str], list[str]]]:
    """The comment and the code of each declaration, which a blank line ends. The first is the header's own comment."""
    found: list[tuple[list[str], list[str]]] = []
    comment: list[str] = []
    code: list[str] = []
    depth = 0
    for line in [*text.splitlines(), ""]:
        if not depth and (not line or _OUTSIDE.match(line)):
            if comment or code:
                found.append((comment, code))
            comment, code = [], []
        elif not depth and not code and line.startswith("//"):
            comment.append(line)
        else:
            code.append(line)
            bare = re.sub(r"//.*", "", line)
            depth += bare.count("{") - bare.count("}")
    return found


def prose(comment: list[str]) -> str:
    """The text of a comment; what is indented in it is code."""
    lines: list[str] = []
    for line in comment:
        text = re.sub(r"^// ?", "", line)
        indented = text.startswith("  ") and (not lines or not lines[-1] or lines[-1].startswith("    "))
        lines.append(f"    {text[2:]}" if indented else markup.plain(text.strip()))
    return markup.indented("\n".join(lines)).rstrip()


def _title(code: list[str]) -> str:
    found = _NAME.search("\n".join(code))
    return (found[1] or found[2]) if found else ""
