# SPDX-License-Identifier: Apache-2.0
"""Other programs' findings in an ELF file: readelf, eu-elflint, the dynamic linker."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_SECONDS = 120
_LOAD = "import ctypes, sys; ctypes.CDLL(sys.argv[1])"


@dataclass(frozen=True)
class Tools:
    """`lint`: eu-elflint with what it needs to run; empty without it."""

    lint: tuple[str, ...] = ()
    readelf: str = "readelf"
    strip: str = "strip"


@dataclass(frozen=True)
class Findings:
    """`readelf` and `lint`: kinds of complaints. `load` and `stripped`: why it does not load, and why not after strip;
    "" if it does."""

    readelf: frozenset[str]
    lint: frozenset[str]
    load: str
    stripped: str


def collect(path: Path, tools: Tools) -> Findings:
    stripped = path.with_name(f"stripped-{path.name}")
    done = _run([tools.strip, "-o", stripped, path])
    after = load(stripped) if done.returncode == 0 else f"strip: {_last(done.stderr)}"
    stripped.unlink(missing_ok=True)
    return Findings(_readelf(path, tools), _lint(path, tools), load(path), after)


def load(path: Path) -> str:
    """The error of loading the library, "" without one: in a separate process, with every function bound at once."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("LD_")}
    done = _run([sys.executable, "-c", _LOAD, path], {**variables, "LD_BIND_NOW": "1", "ANYCUDA_LOG": "off"})
    if done.returncode == 0:
        return ""
    return _last(done.stderr).replace(f"{path}: ", "") if done.returncode > 0 else f"signal {-done.returncode}"


def _readelf(path: Path, tools: Tools) -> frozenset[str]:
    done = _run([tools.readelf, "-aW", path])
    return frozenset(_kind(line) for line in (done.stdout + done.stderr).splitlines()
                     if re.match(r"readelf: |.*(?:Warning|Error): ", line))


def _lint(path: Path, tools: Tools) -> frozenset[str]:
    if not tools.lint:
        return frozenset()
    done = _run([*tools.lint, "--gnu-ld", path])
    return frozenset(_kind(line) for line in (done.stdout + done.stderr).splitlines() if line.strip() != "No errors")


def _kind(line: str) -> str:
    """Without the numbers and names, which another place of the same thing changes."""
    line = re.sub(r"^readelf: (?:[^:]*: )?", "", line)
    line = re.sub(r"'[^']*'", "X", re.sub(r" \([^)]*\)(?=:|$)", "", line))
    return re.sub(r"\[ +", "[", re.sub(r"0x[0-9a-f]+|\d+", "N", line))


def _last(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else "no message"


def _run(command: list[Any], variables: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    command = list(map(str, command))
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, env=variables,
                              errors="replace")
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", f"no end within {_SECONDS} s")
