# SPDX-License-Identifier: Apache-2.0
"""The exit status of `anycuda check` and `anycuda doctor`. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from . import code_rules

YES, NO, FAILED, UNKNOWN = 0, 1, 2, 3


def of(answers: Iterable[bool | None], has_problems: bool) -> int:
    """A file that cannot be read leaves the question open."""
    if has_problems:
        return FAILED
    return {True: YES, None: UNKNOWN, False: NO}[code_rules.of_all(answers)]
