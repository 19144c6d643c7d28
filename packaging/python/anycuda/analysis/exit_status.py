# SPDX-License-Identifier: Apache-2.0
"""The exit status of `anycuda check` and `anycuda doctor`. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from . import code_rules

YES, NO, FAILED, UNKNOWN = 0, 1, 2, 3


def from_answers(answers: Iterable[bool | None], has_problems: bool) -> int:
    """The status for these answers. An unreadable file makes it FAILED."""
    if has_problems:
        return FAILED
    return {True: YES, None: UNKNOWN, False: NO}[code_rules.all_true(answers)]
