# SPDX-License-Identifier: Apache-2.0
"""The outcomes of a search, as the build wrote them into matrix.json from compat/catalogue/outcomes.toml."""

from __future__ import annotations

import functools

from ..failure import Failure
from ..matrix import data
from .records import LibraryWord


# Of each group of outcomes those that the command's code names. compat/catalogue/outcomes.toml explains all.
class FileState(LibraryWord):
    USABLE = "usable"
    OTHER_ARCHITECTURE = "other_architecture"
    ANYCUDA_STUB = "anycuda_stub"
    LINK_STUB = "link_stub"


class CandidateVerdict(LibraryWord):
    ACCEPTED = "accepted"
    OTHER_LOADED = "other_loaded"
    DRIVER_TOO_OLD = "driver_too_old"
    NEWER_THAN_KNOWN = "newer_than_known"
    NOT_LOOKED_AT = "not_looked_at"  # the search ended before; in no row of that file


class SearchTier(LibraryWord):
    VARIABLE = "variable"
    LOADED = "loaded"
    LIBRARY_PATH = "library_path"
    TOOLKIT = "toolkit"


def column(group: str, name: str) -> dict[str, str]:
    """Outcome -> its value in that column, in the order of the file; outcomes without a value are left out."""
    return {outcome: row[name] for outcome, row in _groups()[group].items() if name in row}


@functools.cache
def _groups() -> dict[str, dict[str, dict[str, str]]]:
    groups: dict[str, dict[str, dict[str, str]]] | None = data.read().get("outcomes")
    if groups is None:
        raise Failure(f"{data.find()} belongs to another version of anycuda: install anycuda again")
    return groups
