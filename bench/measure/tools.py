# SPDX-License-Identifier: Apache-2.0
"""Running a program under an instrument, and reading what the instrument wrote.

The readers are pure functions of text; the runs are beside them. Every run gets a small, separate
environment: its counts must not depend on the shell it was started from.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

# Tool -> the Debian package that has it.
PACKAGES = {"valgrind": "valgrind", "strace": "strace", "c++": "g++"}


class Failure(Exception):
    """A measured program did not do what it was run for."""


def missing(tool: str) -> str | None:
    """Why `tool` cannot be used, or None when it can."""
    if shutil.which(tool):
        return None
    package = PACKAGES.get(Path(tool).name, Path(tool).name)
    return f"{tool} is not installed (Debian: apt-get install {package})"


def run(command: list[str], environment: dict[str, str]) -> str:
    """Standard output of `command`, run with only the variables in `environment`."""
    program = shutil.which(command[0]) or command[0]  # by our PATH, not by that of the measured
    done = subprocess.run([program, *command[1:]], text=True, timeout=600,
                          env={"PATH": "/usr/bin:/bin", **environment}, capture_output=True)
    if done.returncode != 0:
        raise Failure(f"{Path(command[0]).name} ended with {done.returncode}: "
                      f"{(done.stderr or done.stdout).strip()[-400:]}")
    return done.stdout


# --- instructions -------------------------------------------------------------------------------

_PHASE = re.compile(r"^desc: Trigger: --dump-after=(\w+)", re.M)
_TOTALS = re.compile(r"^(?:totals|summary): (\d+)", re.M)


def read_phase(dump: str) -> tuple[str, int] | None:
    """(function, instructions) of a callgrind dump that was written when a function ended."""
    phase, totals = _PHASE.search(dump), _TOTALS.search(dump)
    return (phase.group(1), int(totals.group(1))) if phase and totals else None


def read_total(dump: str) -> int:
    """Instructions of a whole run."""
    totals = _TOTALS.search(dump)
    if not totals:
        raise Failure("callgrind's file has no totals line")
    return int(totals.group(1))


def _callgrind(folder: str, options: list[str], command: list[str],
               environment: dict[str, str]) -> str:
    return run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", "-q",
                *options, *command], environment)


def count_phases(command: list[str], environment: dict[str, str],
                 phases: list[str]) -> dict[str, int]:
    """Instructions of each of the program's functions named in `phases`, all they call included.

    Each counts from its first instruction to its return: nothing has to be subtracted.
    """
    options = [f"--dump-{when}={phase}" for phase in phases for when in ("before", "after")]
    with tempfile.TemporaryDirectory() as folder:
        _callgrind(folder, options, command, environment)
        read = [read_phase(file.read_text(errors="replace")) for file in Path(folder).iterdir()]
    found = dict(phase for phase in read if phase)
    if set(found) != set(phases):
        raise Failure(f"{Path(command[0]).name}: counted {sorted(found)}, wanted {sorted(phases)}")
    return found


def count_total(command: list[str], environment: dict[str, str]) -> int:
    """Instructions of the whole process, the dynamic linker's included."""
    with tempfile.TemporaryDirectory() as folder:
        _callgrind(folder, [], command, environment)
        return read_total((Path(folder) / "out").read_text(errors="replace"))


# --- system calls -------------------------------------------------------------------------------

@dataclass
class SystemCalls:
    """What happened between two marks."""

    total: int = 0
    opened: int = 0  # opens that succeeded


def read_system_calls(trace: str) -> dict[str, SystemCalls]:
    """System calls by phase, from a trace with marks: failing writes of "begin X" and "end X"."""
    result: dict[str, SystemCalls] = {}
    phase: SystemCalls | None = None
    for line in trace.splitlines():
        mark = re.search(r'write\(-1, "(begin|end) (\w+)"', line)
        if mark:
            phase = result.setdefault(mark.group(2), SystemCalls()) if mark.group(1) == "begin" \
                else None
        elif phase is not None:
            phase.total += 1
            if re.search(r"\bopen(at)?\(.*= \d+", line):
                phase.opened += 1
    return result


def trace(command: list[str], environment: dict[str, str]) -> dict[str, SystemCalls]:
    """System calls by phase of a program that sets marks."""
    with tempfile.TemporaryDirectory() as folder:
        out = f"{folder}/trace"
        # -E gives the environment to the traced program alone: LD_LIBRARY_PATH is not for strace.
        given = [word for name, value in environment.items() for word in ("-E", f"{name}={value}")]
        run(["strace", "-o", out, *given, *command], {})
        return read_system_calls(Path(out).read_text(errors="replace"))


# --- what a program says of itself --------------------------------------------------------------

def read_values(output: str) -> dict[str, int]:
    """The "name number" lines of the probe's output."""
    return {name: int(number) for name, number in re.findall(r"^([a-z_]+) (-?\d+)$", output, re.M)}
