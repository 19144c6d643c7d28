# SPDX-License-Identifier: Apache-2.0
"""outcomes.toml -> outcomes.h (enumerations) and outcome_texts.h (names and texts), in the build folder.

    outcomes.py FILE FOLDER

The texts are characters without pointers, which need no relocation when a program starts. A byte from 0x80 on is a
Field; kIf and kUnless are in front of a Field, and the text up to kEnd depends on its value. Without alignas(1), GCC
would align each group of texts to 32 bytes.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import tomllib

Table = dict[str, dict[str, dict[str, str]]]

# Group -> the C++ enumeration, the columns that each row has, and those that it may have.
GROUPS = {
    "verdict": ("Verdict", ["reason"], ["hint", "short", "command"]),
    "state": ("FileState", ["reason"], ["hint", "short", "broken", "refused", "driver"]),
    "tier": ("SearchTier", ["title"], ["place", "in_python_after"]),
    "preference": ("Preference", ["reason"], []),
    "hint": ("Hint", ["hint"], []),
    "driver": ("DriverVerdict", [], ["condition"]),
}
PUBLIC = {"DriverVerdict": "anycuda/compat/driver.h"}  # enumerations of a public header
TEXTS = ("reason", "hint", "title")  # the columns for the stubs
IF, UNLESS, END, FIRST_FIELD = 1, 2, 3, 0x80
SAME = "="  # the row has the text of the one before (text::row)
HEAD = "// Made of compat/catalogue/outcomes.toml by outcomes.py.\n#pragma once\n"
_PART = re.compile(r"\{([a-z_]+)(?:\}|([?!])((?:[^{}]|\{[a-z_]+\})*)\})")


def problems(table: Table) -> list[str]:
    if list(table) != list(GROUPS):
        return [f"expected the groups {', '.join(GROUPS)}, in this order"]
    found = []
    for group, (_, needed, allowed) in GROUPS.items():
        for name, row in table[group].items():
            wrong = [f"'{column}' is missing" for column in needed if column not in row]
            wrong += [f"'{column}' is unknown" for column in row if column not in (*needed, *allowed)]
            wrong += ["'broken' and 'refused' exclude each other"] if {"broken", "refused"} <= row.keys() else []
            wrong += [f"'{column}' has a character that a message cannot have, or a brace without its partner"
                      for column in TEXTS if not re.fullmatch("(?!=)[ -z|~]*", _PART.sub("", row.get(column, "")))]
            found += [f"[{group}.{name}]: {fault}" for fault in wrong]
    return found


class Texts:
    """The columns as C++, and the fields in them, numbered as they come."""

    def __init__(self) -> None:
        self.fields: list[str] = []

    def column(self, name: str, values: list[str]) -> str:
        lines = "\n".join(f'    "{self._encoded(value) if value != before else SAME}\\0"'
                          for before, value in zip([None, *values], values))
        return f"alignas(1) constexpr char {name}[] =\n{lines};\n"

    def _encoded(self, text: str) -> str:
        return "".join(chr(code) if code >= 32 and code < 127 and chr(code) not in '"\\' else f"\\{code:03o}"
                       for code in self._codes(text))

    def _codes(self, text: str) -> list[int]:
        codes, end = [], 0
        for part in _PART.finditer(text):
            codes += text[end:part.start()].encode()
            field, end = self._code_of(part[1]), part.end()
            codes += [IF if part[2] == "?" else UNLESS, field, *self._codes(part[3]), END] if part[2] else [field]
        return codes + list(text[end:].encode())

    def _code_of(self, field: str) -> int:
        if field not in self.fields:
            self.fields.append(field)
        return FIRST_FIELD + self.fields.index(field)


def orders(tiers: dict[str, dict[str, str]]) -> list[list[str]]:
    """The tiers in a program, and in Python."""
    python = [name for name in tiers if "in_python_after" not in tiers[name]]
    for name, row in tiers.items():
        if "in_python_after" in row:
            python.insert(python.index(row["in_python_after"]) + 1, name)
    return [list(tiers), python]


def enumerations(table: Table) -> str:
    out = [HEAD, "#include <cstdint>\nnamespace anycuda {\n"]
    for group, (enumeration, _, _) in GROUPS.items():
        if enumeration not in PUBLIC:
            out.append(f"enum class {enumeration} : std::uint8_t {{ {', '.join(table[group])} }};\n"
                       f"constexpr int k{group.capitalize()}Count = {len(table[group])};\n")
    return "".join(out) + "}\n"


def texts(table: Table) -> str:
    made, columns = Texts(), []
    for group, (enumeration, needed, allowed) in GROUPS.items():
        rows = table[group]
        if enumeration in PUBLIC:
            columns += [f"static_assert({enumeration}::{name} == {enumeration}{{{number}}}, \"outcomes.toml\");\n"
                        for number, name in enumerate(rows)]
        columns.append(made.column(f"k{group.capitalize()}Names", list(rows)))
        columns += [made.column(f"k{group.capitalize()}{column.capitalize()}s",
                                [row.get(column, "") for row in rows.values()])
                    for column in TEXTS if column in (*needed, *allowed)]
    fields = ", ".join([f"{made.fields[0]} = {FIRST_FIELD}", *made.fields[1:]])
    both = ", ".join("{" + ", ".join(f"SearchTier::{tier}" for tier in order) + "}" for order in orders(table["tier"]))
    return "\n".join([
        HEAD, *(f'#include "{header}"' for header in ("compat/outcomes.h", *PUBLIC.values())), "namespace anycuda {",
        f"enum class Field : unsigned char {{ {fields} }};",
        f"constexpr char kIf = {IF}, kUnless = {UNLESS}, kEnd = {END};", f"constexpr int kFirstField = {FIRST_FIELD};",
        *columns, f"constexpr SearchTier kTierOrders[2][kTierCount] = {{{both}}};", "}", ""])


def write(path: Path, text: str) -> None:
    """Leaves the file as it is if nothing changes, so that nothing is built again."""
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def main(source: Path, folder: Path) -> int:
    table = tomllib.loads(source.read_text(encoding="utf-8"))
    wrong = problems(table)
    for fault in wrong:
        print(f"{source}: {fault}", file=sys.stderr)
    if not wrong:
        write(folder / "outcomes.h", enumerations(table))
        write(folder / "outcome_texts.h", texts(table))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
