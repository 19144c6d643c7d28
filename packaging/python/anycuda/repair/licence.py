# SPDX-License-Identifier: Apache-2.0
"""Adds anycuda's licence to a wheel that gets its stubs, as PEP 639 specifies: the text below .dist-info/licenses, and
a License-File that names it. Pure."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from ..wheels import metadata

FILE = "anycuda/LICENSE"
_FIRST = (2, 4)  # the version of METADATA from which License-File names a file below licenses/
# Where builders put licences before 2.4: wheel and setuptools; hatch.
_BEFORE = ("{about}/{file}", "{about}/{base}", "{about}/license_files/{file}", "{about}/license_files/{base}")


@dataclass(frozen=True)
class Licensed:
    """`renamed`: the wheel's licences, which older METADATA has in another place: name in the wheel -> new name."""

    metadata: bytes
    renamed: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()


def path(about: str) -> str:
    return f"{about}/licenses/{FILE}"


def add(content: bytes, about: str, files: Collection[str]) -> Licensed:
    """`content`: METADATA. `about`: the folder .dist-info. `files`: all names in the wheel."""
    fields, rest = metadata.split(content)
    named = metadata.values(fields, "License-File")
    if FILE in named or not fields:
        return Licensed(content)
    renamed: dict[str, str] = {}
    notes: list[str] = []
    lines = [field.raw for field in fields]
    end = fields[0].end
    number = next((number for number, field in enumerate(fields) if field.name == "metadata-version"), None)
    if number is not None and _is_older(fields[number].value):
        lines[number] = metadata.line("Metadata-Version", ".".join(map(str, _FIRST)), end)
        renamed, notes = _rename(named, about, files)
    if not lines[-1].endswith(b"\n"):
        lines[-1] += end
    last = max((number for number, field in enumerate(fields) if field.name == "license-file"), default=len(fields) - 1)
    lines.insert(last + 1, metadata.line("License-File", FILE, end))
    return Licensed(b"".join(lines) + rest, renamed, notes)


def _is_older(version: str) -> bool:
    match = re.fullmatch(r"(\d{1,3})\.(\d{1,3})", version)
    return match is not None and (int(match[1]), int(match[2])) < _FIRST


def _rename(named: list[str], about: str, files: Collection[str]) -> tuple[dict[str, str], list[str]]:
    """(old name -> new name of the licences, notes)"""
    names, renamed, notes = set(files), {}, []
    for file in dict.fromkeys(named):
        new = f"{about}/licenses/{file}"
        if new in names:
            continue
        forms = (form.format(about=about, file=file, base=posixpath.basename(file)) for form in _BEFORE)
        old = next((form for form in forms if form in names and form not in renamed), None)
        # A zip file's names end at a zero byte.
        if old and posixpath.normpath(new) == new and new.isprintable():
            renamed[old] = new
        else:
            notes.append(f"METADATA names the licence {file}, which the wheel lacks: PyPI refuses such a wheel with "
                         "METADATA 2.4 or later. Build the wheel with the file")
    return renamed, notes
