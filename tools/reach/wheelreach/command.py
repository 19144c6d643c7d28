# SPDX-License-Identifier: Apache-2.0
"""`anycuda check` and `anycuda repair`, and what they print."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_NOTE = re.compile(r"^  note +(.+)$", re.MULTILINE)
_REFUSED = re.compile(r"^  refused +(.+)$", re.MULTILINE)
_PROGRESS = re.compile(r"^anycuda check: \d+ of \d+ MB|: \w+ +\d+ % of \d+ MB: ")
_SECONDS = 900


class CommandError(Exception):
    pass


@dataclass(frozen=True)
class Repair:
    """`refusal`: why `anycuda repair` refused the wheel without --partly, else ""."""

    wheel: Path
    refusal: str
    notes: list[str]


def check(command: Path, wheel: Path) -> dict[str, Any]:
    """The input's part of the report, schema 1."""
    done = _run(command, "check", "--json", wheel)
    if done.returncode not in (0, 1):
        raise CommandError(f"anycuda check: {reason(done.stderr)}")
    try:
        report: dict[str, Any] = json.loads(done.stdout)["inputs"][0]
        return report
    except ValueError:
        raise CommandError(f"anycuda check: {reason(done.stderr)}") from None


def repair(command: Path, wheel: Path, out: Path) -> Repair:
    done = _run(command, "repair", "-v", "--force", "--wheel-dir", out, wheel)
    refusal = ""
    if done.returncode == 1:
        refusal = reason(done.stdout + done.stderr)
        done = _run(command, "repair", "-v", "--force", "--partly", "--wheel-dir", out, wheel)
    if done.returncode:
        raise CommandError(f"anycuda repair: {reason(done.stdout + done.stderr)}")
    return Repair(out / wheel.name, refusal, notes(done.stdout))


def dry_run(command: Path, wheel: Path) -> str:
    """What a repair would do: "repairs", "changes nothing" or "refuses"."""
    done = _run(command, "repair", "--dry-run", wheel)
    if done.returncode not in (0, 1):
        raise CommandError(f"anycuda repair: {reason(done.stdout + done.stderr)}")
    return "refuses" if done.returncode else "changes nothing" if "nothing to repair" in done.stdout else "repairs"


def notes(text: str) -> list[str]:
    return _NOTE.findall(text)


def reason(text: str) -> str:
    """The first refusal, else the last line that is not progress; without the folders of paths."""
    refused = _REFUSED.findall(text)
    lines = [line.strip() for line in text.splitlines() if line.strip() and not _PROGRESS.search(line)]
    if not lines:
        return "no reason was printed"
    more = f" (and {len(refused) - 1} more)" if len(refused) > 1 else ""
    return re.sub(r"(?<![\w.])/\S*/", "", refused[0] if refused else lines[-1]) + more


def _run(command: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run([sys.executable, str(command), *map(str, arguments)], capture_output=True, text=True,
                              timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        raise CommandError(f"anycuda {arguments[0]} took more than {_SECONDS} seconds") from None
