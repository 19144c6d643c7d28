# SPDX-License-Identifier: Apache-2.0
"""The reference of the stubs: the variable of each, and the statuses that it returns itself."""

from __future__ import annotations

from typing import Any

from generate.descriptor import Descriptor
from generate.libraries import descriptors
from generate.library_folders import LibraryFolders

HEAD = """# Stubs, variables and error numbers

What a stub returns for a call that it cannot pass on. Every other status comes from NVIDIA's library.

| library | stub | variable that names its file | no usable library | absent | rejected |
|---|---|---|---|---|---|
"""
TAIL = """
**No usable library**: the search found none ([which CUDA is used](../docs/search.md)). **Absent**: the installed CUDA
does not have the function. **Rejected**: it has the function with another meaning.
The first such call prints its reason ([messages](../docs/messages.md)).
[Across majors](../docs/cross-major.md) explains these outcomes.

Functions with these results return another value:

| library | function, or type of the result | value |
|---|---|---|
"""


def page() -> str:
    found = descriptors(LibraryFolders())
    names = status_names()
    rows = [_row(library, names[library.name]) for library in found]
    values = [f"| {library.product} | `{name}` | {_value(value)} |\n"
              for library in found for name, value in library.failing_results.items()]
    return HEAD + "".join(rows) + TAIL + "".join(values)


def _value(value: int | str | dict[str, Any]) -> str:
    """Of failing_results.py."""
    texts = {"status": "the status", "-status": "the negative status"}
    if isinstance(value, dict):
        return ", ".join(f"`{field}`: {_value(part)}" for field, part in value.items())
    return texts.get(value, "") if isinstance(value, str) else str(value)


def status_names() -> dict[str, dict[int, str]]:
    """Library -> status -> its name, of all that a stub returns itself."""
    folders = LibraryFolders()
    return {descriptor.name: {value: name for value, name, _ in folders.database(descriptor.name).errors
                              if value in descriptor.status.values()} for descriptor in descriptors(folders)}


def _row(library: Descriptor, names: dict[int, str]) -> str:
    statuses = (library.status[why] for why in ("no_library", "absent", "rejected"))
    texts = (f"{status} `{names[status]}`" if status in names else str(status) for status in statuses)
    return f"| {library.product} | `{library.stub}` | `{library.variable}` | {' | '.join(texts)} |\n"
