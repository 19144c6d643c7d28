# SPDX-License-Identifier: Apache-2.0
"""A requirement in the syntax of PEP 508, split into its parts. Pure. By hand, since the command has no dependencies,
and the library `packaging` does not keep what the author wrote; tests/packaging/test_requirements_agree.py compares
them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from . import names

_FORM = re.compile(r"\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[([^\]]*)\])?\s*(.*)", re.S)
_CLAUSE = re.compile(r"(===|==|~=|>=|<=|!=|>|<)\s*v?(\d{1,9})(?![\d!])((?:\.\d+)*)")  # not of an epoch: 1!2.0
_TOKEN = re.compile(r"'[^']*'|\"[^\"]*\"|[\w.]+|[<>=!~]+")  # of a marker


@dataclass(frozen=True)
class Requirement:
    """`version`: as written: ">=12,<13", "(>=12)" or "@ URL". `base`: everything except the marker, as written."""

    name: str
    extras: tuple[str, ...]
    version: str
    marker: str
    base: str

    def __str__(self) -> str:
        return self.under(self.marker)

    def under(self, marker: str, base: str = "") -> str:
        """The requirement with another marker. A space ends a URL, which may contain a semicolon."""
        return _marked(base or self.base, marker, self.version.startswith("@"))

    @property
    def normal(self) -> str:
        return names.normal(self.name)

    @property
    def belongs_to_extra(self) -> bool:
        return "extra" in _TOKEN.findall(self.marker)

    @property
    def extra_names(self) -> list[str]:
        """The extras that its marker names, normalised."""
        tokens = _TOKEN.findall(self.marker)
        return [names.normal((right if left == "extra" else left).strip("'\""))
                for left, sign, right in zip(tokens, tokens[1:], tokens[2:])
                if sign in ("==", "!=") and "extra" in (left, right)]

    def in_extra(self, extra: str, base: str = "") -> str:
        """The requirement restricted to that extra."""
        condition = f'extra == "{extra}"'
        return self.under(f"({self.marker}) and {condition}" if self.marker else condition, base)

    def with_extras(self, extras: list[str]) -> str:
        """Its base with these extras."""
        text = f"{self.name}[{','.join(extras)}]" if extras else self.name
        return f"{text} {self.version}" if self.version[:1] in ("@", "(") else f"{text}{self.version}"


def parse(text: str) -> Requirement | None:
    """The requirement; None if the text does not have that form."""
    form = _FORM.fullmatch(text)
    if not form:
        return None
    rest = form[3]
    if rest.startswith("@"):
        version, *marker = re.split(r"(?<=\s);", rest, maxsplit=1)
    else:
        version, *marker = rest.split(";", 1)
    if version and version[0] not in "@(<>=!~":
        return None
    extras = tuple(extra.strip() for extra in (form[2] or "").split(",") if extra.strip())
    base = text[:form.start(3)] + version
    return Requirement(form[1], extras, version.strip(), marker[0].strip() if marker else "", base.strip())


def _marked(base: str, marker: str, is_url: bool) -> str:
    return f"{base}{' ' if is_url else ''}; {marker}" if marker else base


def floor_of(version: str) -> str:
    """2.19 for >=2.19, >=2.19,<3, ==2.19 and ~=2.19; "" without such a bound."""
    bounds = [major + rest for sign, major, rest in _clauses(version) if sign in (">=", "==", "===", "~=")]
    return bounds[0] if len(bounds) == 1 else ""


def _clauses(version: str) -> list[tuple[str, str, str]]:
    return [] if version.startswith("@") else _CLAUSE.findall(version)


def major_of(version: str) -> str:
    """The only major that a version allows: 12 for ==12.9.*, ~=12.1 and >=12,<13; "" if it allows several."""
    exact, low, high = set(), [], []
    for sign, major, rest in _clauses(version):
        number = int(major)
        if sign in ("==", "===") or sign == "~=" and rest:
            exact.add(number)
        elif sign in (">=", ">", "~="):
            low.append(number)
        elif sign in ("<", "<="):
            is_below = sign == "<" and not rest.strip(".0")
            high.append(number - 1 if is_below else number)
    if exact:
        return str(exact.pop()) if len(exact) == 1 else ""
    return str(max(low)) if low and high and max(low) == min(high) else ""
