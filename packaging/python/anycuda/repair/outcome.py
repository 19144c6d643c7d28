# SPDX-License-Identifier: Apache-2.0
"""The outcome for a wheel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..kind import Kind
from .plan import Plan
from .scan import Scan
from .texts import Texts


class Status(Kind):
    REPAIRED = "repaired"
    UNCHANGED = "unchanged"  # nothing to repair
    REFUSED = "refused"  # it can be read, but not repaired
    FAILED = "failed"  # it cannot be read, or its result cannot be written


_EXIT = {Status.REPAIRED: 0, Status.UNCHANGED: 0, Status.REFUSED: 1, Status.FAILED: 2}


@dataclass(frozen=True)
class Verdict:
    """The verdict of `anycuda check`, as a sentence and for --json."""

    sentence: str
    for_json: dict[str, Any]


@dataclass(frozen=True)
class Written:
    """The result. `was_there`: the same bytes were there before."""

    path: Path
    size: int
    was_there: bool


@dataclass(frozen=True)
class Outcome:
    """The outcome after a stage; later stages have their defaults. `reasons`: why it is refused or failed. `glibc`: the
    version that the wheel's tag claims, or None. `verdict`: None if it failed, and with --quiet. `written`: None if
    nothing was written."""

    wheel: Path
    status: Status = Status.FAILED
    reasons: Sequence[str] = ()
    scan: Scan = field(default_factory=Scan)
    glibc: tuple[int, int] | None = None
    plan: Plan = field(default_factory=Plan)
    texts: Texts = field(default_factory=Texts)
    verdict: Verdict | None = None
    written: Written | None = None

    @property
    def notes(self) -> list[str]:
        return [*self.plan.notes, *self.plan.tag_notes, *self.texts.notes]

    @property
    def untouched(self) -> list[str]:
        """The programs and libraries that stay unchanged."""
        changed = {edit.name for edit in self.plan.edits} | set(self.plan.left_out)
        return [member.name for member in self.scan.members if member.name not in changed]


def exit_status(outcomes: Sequence[Outcome]) -> int:
    return max((_EXIT[outcome.status] for outcome in outcomes), default=0)
