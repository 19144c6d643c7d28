# SPDX-License-Identifier: Apache-2.0
"""The outcome for a wheel."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from .plan import Plan
from .scan import Scan
from .texts import Texts

REPAIRED, UNCHANGED, REFUSED, FAILED = "repaired", "unchanged", "refused", "failed"
_EXIT = {REPAIRED: 0, UNCHANGED: 0, REFUSED: 1, FAILED: 2}


@dataclass(frozen=True)
class Verdict:
    """The verdict of `anycuda check`, as a sentence and for --json."""

    sentence: str
    for_json: dict


@dataclass
class Outcome:
    """`reasons`: why it is refused or failed. `result`: the path of the result, with `size` bytes; None if nothing was
    written. `was_there`: the same bytes were there before. `glibc`: the version that the wheel's tag claims, or None.
    `verdict`: None if it failed, and with --quiet."""

    wheel: Path
    status: str = FAILED
    reasons: list[str] = field(default_factory=list)
    scan: Scan = field(default_factory=Scan)
    plan: Plan = field(default_factory=Plan)
    texts: Texts = field(default_factory=Texts)
    result: Path | None = None
    size: int = 0
    was_there: bool = False
    glibc: tuple[int, int] | None = None
    verdict: Verdict | None = None

    @property
    def notes(self) -> list[str]:
        return [*self.plan.notes, *self.plan.tag_notes, *self.texts.notes]

    @property
    def untouched(self) -> list[str]:
        """The programs and libraries that stay unchanged."""
        changed = {edit.name for edit in self.plan.edits} | set(self.plan.left_out)
        return [member.name for member in self.scan.members if member.name not in changed]


def exit_status(found: list[Outcome]) -> int:
    return max((_EXIT[one.status] for one in found), default=0)
