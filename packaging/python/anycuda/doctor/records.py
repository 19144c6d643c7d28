# SPDX-License-Identifier: Apache-2.0
"""The lines of libanycuda_doctor.so's answers (compat/doctor/record_writer.h): a kind, then name=value fields."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ESCAPES = {"\\\\": "\\", "\\t": "\t", "\\n": "\n"}


@dataclass(frozen=True)
class Record:
    kind: str
    fields: dict[str, str]

    def text(self, name: str) -> str:
        return self.fields.get(name, "")

    def number(self, name: str) -> int:
        text = self.text(name)
        return int(text) if re.match(r"-?[0-9]+\Z", text) else 0

    def flag(self, name: str) -> bool:
        return self.text(name) == "1"


def parse(answer: bytes, errors: str = "backslashreplace") -> list[Record]:
    """The records of an answer. A line without its end is left out, since the process crashed while writing it.
    `errors`: for bytes of file names that are not UTF-8, as in bytes.decode()."""
    lines = answer.decode("utf-8", errors).split("\n")[:-1]
    return [_record(line) for line in lines if line]


def _record(line: str) -> Record:
    kind, *fields = line.split("\t")
    parts = (field.partition("=") for field in fields)
    return Record(kind, {name: _unescape(value) for name, _, value in parts})


def _unescape(text: str) -> str:
    return re.sub(r"\\[\\tn]", lambda match: _ESCAPES[match[0]], text)
