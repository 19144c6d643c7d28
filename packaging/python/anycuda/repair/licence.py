# SPDX-License-Identifier: Apache-2.0
"""Adds anycuda's licence to a wheel that gets its stubs, as PEP 639 specifies: the text below .dist-info/licenses, and
a License-File that names it. Pure."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection
from dataclasses import dataclass, field

from ..wheels import metadata

FILE = "anycuda/LICENSE"
_FIRST = (2, 4)  # the version of METADATA from which License-File names a file below licenses/
# Where builders put licences before 2.4: wheel and setuptools; hatch.
_BEFORE = ("{about}/{file}", "{about}/{base}", "{about}/license_files/{file}", "{about}/license_files/{base}")


@dataclass
class Licensed:
    """`renamed`: the wheel's licences, which older METADATA has in another place: name in the wheel -> new name."""

    metadata: bytes
    renamed: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def path(about: str) -> str:
    return f"{about}/licenses/{FILE}"


def add(content: bytes, about: str, files: Collection[str]) -> Licensed:
    """`content`: METADATA. `about`: the folder .dist-info. `files`: all names in the wheel."""
    fields, rest = metadata.split(content)
    named = metadata.values(fields, "License-File")
    if FILE in named or not fields:
        return Licensed(content)
    made = Licensed(b"")
    lines = [one.raw for one in fields]
    end = fields[0].end
    number = next((number for number, one in enumerate(fields) if one.name == "metadata-version"), None)
    if number is not None and _is_older(fields[number].value):
        lines[number] = metadata.made("Metadata-Version", ".".join(map(str, _FIRST)), end)
        _rename(named, about, files, made)
    if not lines[-1].endswith(b"\n"):
        lines[-1] += end
    last = max((number for number, one in enumerate(fields) if one.name == "license-file"), default=len(fields) - 1)
    lines.insert(last + 1, metadata.made("License-File", FILE, end))
    made.metadata = b"".join(lines) + rest
    return made


def _is_older(version: str) -> bool:
    found = re.fullmatch(r"(\d{1,3})\.(\d{1,3})", version)
    return found is not None and (int(found[1]), int(found[2])) < _FIRST


def _rename(named: list[str], about: str, files: Collection[str], made: Licensed) -> None:
    names = set(files)
    for file in dict.fromkeys(named):
        new = f"{about}/licenses/{file}"
        if new in names:
            continue
        forms = (form.format(about=about, file=file, base=posixpath.basename(file)) for form in _BEFORE)
        old = next((form for form in forms if form in names and form not in made.renamed), None)
        # A zip file's names end at a zero byte.
        if old and posixpath.normpath(new) == new and new.isprintable():
            made.renamed[old] = new
        else:
            made.notes.append(f"METADATA names the licence {file}, which the wheel lacks: PyPI refuses such a wheel "
                              "with METADATA 2.4 or later. Build the wheel with the file")
