# SPDX-License-Identifier: Apache-2.0
"""The fields of METADATA with their bytes, so that unchanged fields stay byte for byte. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Field:
    """`value`: on one line, without surrounding space. `raw`: the lines with their ends."""

    name: str  # in lower case; "" for a line without one
    value: str
    raw: bytes

    @property
    def end(self) -> bytes:
        return b"\r\n" if self.raw.endswith(b"\r\n") else b"\n"


def split(metadata: bytes) -> tuple[list[Field], bytes]:
    """(the fields, the rest from the first empty line on). A line that begins with a space continues the field."""
    lines = re.findall(rb"[^\n]*\n|[^\n]+", metadata)
    count = next((number for number, line in enumerate(lines) if not line.rstrip(b"\r\n")), len(lines))
    groups: list[list[bytes]] = []
    for line in lines[:count]:
        if line[:1] in b" \t" and groups:
            groups[-1].append(line)
        else:
            groups.append([line])
    return [_field(b"".join(group)) for group in groups], b"".join(lines[count:])


def _field(raw: bytes) -> Field:
    text = raw.decode("utf-8", "surrogateescape")
    name, colon, value = text.partition(":")
    unfolded = re.sub(r"\r?\n[ \t]+", " ", value).strip()
    return Field(name.strip().lower() if colon else "", unfolded, raw)


def line(name: str, value: str, end: bytes = b"\n") -> bytes:
    return f"{name}: {value}".encode("utf-8", "surrogateescape") + end


def values(fields: list[Field], name: str) -> list[str]:
    """The values of all fields of that name."""
    return [field.value for field in fields if field.name == name.lower()]
