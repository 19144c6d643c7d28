# SPDX-License-Identifier: Apache-2.0
"""The colours of the pictures: what each stands for, on a light page and on a dark one."""

from __future__ import annotations

import re

_COLOURS = {  # name: (light, dark)
    "page": ("#ffffff", "#0d1117"),
    "text": ("#1f2328", "#e6edf3"),
    "faint": ("#59636e", "#9198a1"),
    "line": ("#818b98", "#656d76"),
    "box": ("#f6f8fa", "#161b22"),
    "stub": ("#ddf4ff", "#0c2d6b"),
    "good": ("#dafbe1", "#033a16"),
    "bad": ("#ffebe9", "#67060c"),
    "cuda11": ("#fff8c5", "#4b2900"),
    "cuda12": ("#dcfbe3", "#043b17"),
    "cuda13": ("#ddf4fe", "#0c2d6c"),
    "red": ("#cf222e", "#ff7b72"),
    "green": ("#116329", "#3fb950"),
    "yellow": ("#7d4e00", "#d29922"),
    "cyan": ("#0550ae", "#58a6ff"),
}
LIGHT = {name: light for name, (light, _) in _COLOURS.items()}
_DARK = dict(_COLOURS.values())
_HEX = re.compile(r"#[0-9a-f]{6}")


def in_dark(css: str) -> str:
    """The same rules for a dark page."""
    return _HEX.sub(lambda match: _DARK[match[0]], css)


def dark_rules(svg: str) -> str:
    """CSS for a dark page, for every colour in the attributes of this picture."""
    used = sorted(set(re.findall(r'(fill|stroke)="(?!none")([^"]*)"', svg)))
    if unknown := {colour for _, colour in used} - set(_DARK):
        raise ValueError(f"{', '.join(sorted(unknown))} has no dark colour: use a name of colours.py, as $box")
    return dark_page("".join(f'[{name}="{colour}"]{{{name}:{_DARK[colour]}}}' for name, colour in used))


def dark_page(rules: str) -> str:
    return f"@media (prefers-color-scheme:dark){{{rules}}}"
