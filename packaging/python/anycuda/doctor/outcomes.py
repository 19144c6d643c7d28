# SPDX-License-Identifier: Apache-2.0
"""The outcomes of a search, as the build wrote them into matrix.json from compat/catalogue/outcomes.toml."""

from __future__ import annotations

import functools

from ..failure import Failure
from ..matrix import data


def column(group: str, name: str) -> dict[str, str]:
    """Outcome -> its value in that column, in the order of the file; outcomes without a value are left out."""
    return {outcome: row[name] for outcome, row in _groups()[group].items() if name in row}


@functools.cache
def _groups() -> dict[str, dict[str, dict[str, str]]]:
    groups = data.read().get("outcomes")
    if groups is None:
        raise Failure(f"{data.find()} belongs to another version of anycuda: install anycuda again")
    return groups
