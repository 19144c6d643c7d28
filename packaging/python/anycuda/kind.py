# SPDX-License-Identifier: Apache-2.0
"""The base of all closed sets of words: kinds, states, places."""

from __future__ import annotations

from enum import Enum


class Kind(str, Enum):
    """A member is equal to its word; texts and JSON show the word, as with enum.StrEnum, which needs Python 3.11."""

    def __str__(self) -> str:
        return str.__str__(self)

    def __format__(self, format_spec: str) -> str:
        return str.__format__(self, format_spec)
