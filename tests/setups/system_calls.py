# SPDX-License-Identifier: Apache-2.0
"""The system calls of a process, as strace lists them."""

from __future__ import annotations

import functools
import re
import subprocess
import unittest

from build_folder import artifact
from machine import Machine

_MARK = "/anycuda-mark/"  # access() of begin or end below it marks the part of a process that counts
_LINE = re.compile(r"\d+ +\[ *(\d+)\] (\w+)\(")  # 4711 [ 257] openat(AT_FDCWD, ...


@functools.cache
def strace() -> str:
    """Skips the test where no process can be traced."""
    found = str(artifact("strace") / "bin/strace")
    done = subprocess.run([found, "-n", "-qq", "-o", "/dev/null", "/bin/true"], capture_output=True, text=True)
    if done.returncode != 0:
        raise unittest.SkipTest(f"strace does not work here: {done.stderr.strip()}")
    return found


def made(machine: Machine, command: list[str], whole: bool = False) -> tuple[dict[str, int], str]:
    """The system calls between the marks, or of the whole process: each name with its number. Then the program's
    output."""
    log = machine.at("/tmp/trace")
    variables = [word for name, value in machine.variables.items() for word in ("-E", f"{name}={value}")]
    done = subprocess.run([strace(), "-f", "-n", "-qq", "-o", str(log), *variables, *command], cwd=machine.at("~"),
                          env={}, capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise AssertionError(f"{command}: status {done.returncode}: {done.stdout[-2000:]}{done.stderr[-4000:]}")
    calls: dict[str, int] = {}
    inside = whole
    for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
        if _MARK in line:
            inside = whole or f"{_MARK}begin" in line
        elif inside and (found := _LINE.match(line)):
            calls[found[2]] = int(found[1])
    return calls, done.stdout
