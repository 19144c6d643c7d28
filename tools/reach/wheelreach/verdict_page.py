"""The verdicts of `anycuda check` on all wheels of a list -> docs/verdicts.md. Pure."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from .page import line

_INTRO = """# The verdicts of real wheels

What `anycuda check` and `anycuda repair` say of {count} wheels of PyPI (CPython 3.11, x86_64) as they come. Made on
{date} at commit {commit} by this command, which downloads the wheels one after another:

    python3 tools/reach/verdicts.py --anycuda BUILD/bin/anycuda --cache FOLDER --list tools/reach/verdict_wheels.txt \\
        --out docs/verdicts.md

[check.md](check.md#the-verdict) explains the verdicts. "fails" counts the functions that would fail or go unchecked on
a CUDA release from 11.8 on, on a driver from 520 on, or on a release of cuDNN or NCCL. The last column is what
`anycuda repair` does with the wheel: it refuses what is tied, and changes nothing where no file is linked to CUDA or
opens it by a name that a drop-in serves. [wheels.md](wheels.md) lists wheels whose libraries were loaded after the
repair.
"""
_HEAD = ("wheel", "MB", "verdict", "fails", "`anycuda repair`")


@dataclass
class Row:
    """`failed`: why there is no verdict. `failing`: functions. `repair`: "repairs", "changes nothing" or "refuses"."""

    requirement: str
    failed: str = ""
    size: int = 0
    kind: str = ""
    text: str = ""
    failing: int = 0
    status: int = 0
    repair: str = ""


def make(rows: list[Row], date: str, commit: str) -> str:
    known = sorted((row for row in rows if not row.failed), key=lambda row: row.requirement)
    parts = [_INTRO.format(count=len(known), date=date, commit=commit)]
    parts += [line(cells) for cells in (_HEAD, ("---",) * len(_HEAD), *map(_cells, known))]
    unknown = [row for row in rows if row.failed]
    if unknown:
        parts += ["", "## Left out", "", *(f"- {row.requirement}: {row.failed}" for row in unknown)]
    counts = Counter(row.kind for row in known)
    parts += ["", "## Counts", "", *(f"- {kind}: {count}" for kind, count in counts.most_common()), ""]
    return "\n".join(parts)


def _cells(row: Row) -> tuple[str, ...]:
    return (row.requirement, f"{row.size / 1e6:.1f}", row.text, str(row.failing or "-"), row.repair)
