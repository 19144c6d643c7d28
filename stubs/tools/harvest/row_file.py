# SPDX-License-Identifier: Apache-2.0
"""The row of a library that libraries.py does not have, from a file: a JSON object with the fields of LibraryRow."""

import json
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from generate.abi_text import FormatError
from generate.descriptor import wrong_keys

from .libraries import ROWS, LibraryRow

_FIELDS = {field.name: field for field in fields(LibraryRow)}
_JSON_NAMES = {str: "string", bool: "boolean", list: "list"}


def read(path: Path) -> LibraryRow:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise FormatError(f"{path}: {error}") from None
    if not isinstance(values, dict):
        raise FormatError(f"{path}: expected one JSON object")
    unknown = sorted(values.keys() - _FIELDS.keys())
    missing = sorted(name for name, field in _FIELDS.items() if field.default is MISSING and name not in values)
    if unknown or missing:
        raise FormatError(f"{path}: {wrong_keys(missing, unknown)}")
    for name, value in values.items():
        kind = _FIELDS[name].type  # str, bool, or a tuple of something
        expected: type = str if kind is str else bool if kind is bool else list
        if not isinstance(value, expected):
            raise FormatError(f"{path}: {name} must be a {_JSON_NAMES[expected]}, not {value!r}")
    if values["name"] in ROWS:
        raise FormatError(f"{path}: {values['name']} already has a row in libraries.py: choose another name")
    return LibraryRow(**{name: _frozen(value) for name, value in values.items()})


def _frozen(value: Any) -> Any:
    return tuple(_frozen(one) for one in value) if isinstance(value, list) else value
