# SPDX-License-Identifier: Apache-2.0
"""The libraries that the tool knows: those with a harvest.json in their folder (docs/new-library.md)."""

import json
from collections.abc import Iterable
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any

from generate.abi_text import FormatError
from generate.descriptor import wrong_keys

STUBS = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class LibraryRow:
    """The harvest's description of a library: its headers and the prefixes of its names.

    An exported function belongs to the library if the headers declare it or if its name begins with one of `prefixes`.
    `file` is the library's name in its artifact. `artifact` names the artifact, if that is not the library's name;
    `driver`: the library belongs to the display driver, and the artifact has only the headers. `beside` are
    artifacts of the same release (or of a given one, "cudart-12.9") whose headers and libraries it needs.
    `apart` are headers that cannot be included together with `headers`, `cxx` those that declare more for C++.
    `releases` are lines of a requirements file of pip, by release, for a library that is not in the fetch tool's
    recipe. `folder` is the library's: its facts are in abi/, stand-ins for headers that the wheels lack in headers/.
    """

    name: str
    headers: tuple[str, ...]
    prefixes: tuple[str, ...]
    version_macro: str = ""
    status_enum: str = ""
    modes: tuple[tuple[str, ...], ...] = ((),)
    error_name: str = ""
    error_string: str = ""
    file: str = ""
    artifact: str = ""
    driver: bool = False
    beside: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()
    cxx: tuple[str, ...] = ()
    releases: dict[str, str] = field(default_factory=dict, hash=False)
    folder: Path = Path("/nonexistent")

    @property
    def source(self) -> str:
        return self.artifact or self.name

    @property
    def facts(self) -> Path:
        return self.folder / "abi"


_FIELDS = {item.name: item for item in fields(LibraryRow) if item.name not in ("name", "folder")}
_JSON_NAMES = {str: "a string", bool: "a boolean", list: "a list", dict: "an object"}


def read(folder: Path) -> LibraryRow:
    """The row of the library in this folder, which has the library's name."""
    path = folder / "harvest.json"
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise FormatError(f"{path}: {error}") from None
    if not isinstance(values, dict):
        raise FormatError(f"{path}: expected one JSON object")
    unknown = sorted(values.keys() - _FIELDS.keys())
    missing = sorted(name for name, item in _FIELDS.items()
                     if item.default is MISSING and item.default_factory is MISSING and name not in values)
    if unknown or missing:
        raise FormatError(f"{path}: {wrong_keys(missing, unknown)}")
    for name, value in values.items():
        kind = _FIELDS[name].type  # str, bool, a dict, or a tuple of something
        expected: type = str if kind is str else bool if kind is bool else dict if name == "releases" else list
        if not isinstance(value, expected):
            raise FormatError(f"{path}: {name} must be {_JSON_NAMES[expected]}, not {value!r}")
    return LibraryRow(name=folder.name, folder=folder, **{name: _frozen(value) for name, value in values.items()})


def rows(folders: Iterable[Path] = ()) -> dict[str, LibraryRow]:
    """Of the libraries in stubs/, and of those in `folders`, one folder for each library. A library of `folders` goes
    before one of the same name in stubs/."""
    found = [read(path.parent) for path in sorted(STUBS.glob("*/harvest.json"))]
    found += [read(folder.resolve()) for folder in folders]
    return {row.name: row for row in found}


def _frozen(value: Any) -> Any:
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value
