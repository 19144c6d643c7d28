"""What ctest's log says beside passed and failed: tests that were skipped, within a program too, each with its reason."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

# unittest's line, and GoogleTest's, whose reason stands before it.
_PYTHON = re.compile(r"^(\w+ \([\w.]+\)).* \.\.\. skipped ['\"](.*)['\"]$", re.M)
_GOOGLE = re.compile(r"^(\S+): Skipped\n(.*)\n(?:.*\n)*?\[  SKIPPED \] (\S+)", re.M)


class Summary(NamedTuple):
    text: str
    skipped: int


def summary(log: Path) -> Summary:
    if not log.exists():
        return Summary("", 0)
    text = log.read_text(errors="replace")
    passed = len(re.findall(r"^Test Passed\.$", text, re.M))
    skipped = [f"{name}: {reason}" for name, reason in _PYTHON.findall(text)]
    skipped += [f"{name}: {reason}" for _, reason, name in _GOOGLE.findall(text)]
    size = sum(path.stat().st_size for path in log.parents[2].rglob("*") if path.is_file() and not path.is_symlink())
    lines = "".join(f"\n  skipped: {line}" for line in skipped)
    return Summary(f"; {passed} tests passed, {len(skipped)} skipped; build folder {size / 1e6:.0f} MB{lines}", len(skipped))
