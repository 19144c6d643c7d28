"""The verdicts of `anycuda check` on all wheels of a list -> docs/verdicts.md. Pure."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from .page import line
from .verdict import Result

_INTRO = """# The verdicts of real wheels

What `anycuda check` and `anycuda repair` say of {count} wheels of PyPI (x86_64, for CPython 3.11 where there is one) as
they come. Made on {date} at commit {commit} by this command, which downloads the wheels one after another:

    python3 tools/reach/verdicts.py --anycuda BUILD/bin/anycuda --cache FOLDER --list tools/reach/verdict_wheels.txt \\
        --out docs/verdicts.md

[check.md](check.md#the-verdict) explains the verdicts.

- **fails** counts the functions that would fail or go unchecked on a CUDA release from 11.8 on, on a driver from 520
  on, or on a release of cuDNN or NCCL.
- **repair** is what `anycuda repair` does: it refuses what is tied, and changes nothing where no file is linked to CUDA
  or opens it by a name that a drop-in serves.
- **loads** says how many libraries of the repaired wheel (of a tied one with `--partly`) `dlopen` loads with
  `LD_BIND_NOW=1`, each in a process of its own, without CUDA and with only 11.8, only 12.9 or only 13.5; and what the
  others lack. Nothing is installed beside the wheel, so a library that needs PyTorch does not load. Larger wheels were
  not loaded (-). [wheels.md](wheels.md) does this for other wheels, with the packages that they need.
"""
_HEAD = ("wheel", "MB", "verdict", "fails", "repair", "loads")
_MOST = 4  # names; the rest is counted


@dataclass
class Row:
    """`failed`: why there is no verdict. `failing`: functions. `repair`: "repairs", "changes nothing" or "refuses".
    `loads`: "" where that was not tried."""

    requirement: str
    failed: str = ""
    size: int = 0
    kind: str = ""
    text: str = ""
    failing: int = 0
    repair: str = ""
    loads: str = ""


def loads(result: Result) -> str:
    """3 of 3; 1 of 2 (others lack libc10.so); none: 1 of 1, 11.8: 0 of 1 (...)"""
    if result.failed or not result.situations:
        return ""
    counts = {name: f"{one.opened} of {one.total}" for name, one in result.situations.items()}
    alike = set(counts.values())
    text = alike.pop() if len(alike) == 1 else ", ".join(f"{name}: {count}" for name, count in counts.items())
    lacks = list(dict.fromkeys(failure.what for one in result.situations.values() for failure in one.failures))
    more = f" and {len(lacks) - _MOST} more" if len(lacks) > _MOST else ""
    return f"{text} (lacking: {', '.join(lacks[:_MOST])}{more})" if lacks else text


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
    return (row.requirement, f"{row.size / 1e6:.1f}", row.text, str(row.failing or "-"), row.repair, row.loads or "-")
