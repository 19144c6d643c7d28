# SPDX-License-Identifier: Apache-2.0
"""What ctest's log says beside passed and failed: tests that were skipped, each with its reason."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

# unittest's line begins with the test or its description; GoogleTest's reason stands before the name.
_PYTHON = re.compile(r"^(.*?) ?\.\.\. skipped ['\"](.*)['\"]$", re.M)
_GOOGLE = re.compile(r"^(.+): Skipped\n(.*)\n(?:.*\n)*?\[  SKIPPED \] (\S+)", re.M)
# The reasons of tests that only root can run.
_NEEDS_ROOT = ("only root ", "chroot is not permitted")


class Summary(NamedTuple):
    """`unexpected`: skipped tests apart from those that only root can run."""

    text: str
    passed: int
    skipped: int
    unexpected: int


def summary(log: Path) -> Summary:
    if not log.exists():
        return Summary(f"no test was run: {log} is missing", 0, 0, 0)
    text = log.read_text(errors="replace")
    passed = len(re.findall(r"^Test Pass", text, re.M)) - len(re.findall(r"^Skip regular expression found", text, re.M))
    skipped = [f"{name}: {reason}" for name, reason in _PYTHON.findall(text)]
    skipped += [f"{name}: {reason}" for _, reason, name in _GOOGLE.findall(text)]
    # unittest's own count, in case the output of a test stands within a line that is looked for.
    counted = sum(map(int, re.findall(r"^OK \(.*\bskipped=(\d+)", text, re.M)))
    lines = "".join(f"\n  skipped: {line}" for line in skipped)
    number = max(len(skipped), counted)
    for_root = sum(any(reason in line for reason in _NEEDS_ROOT) for line in skipped)
    return Summary(f"{passed} tests passed, {number} skipped{lines}", passed, number, number - for_root)
