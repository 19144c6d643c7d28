# SPDX-License-Identifier: Apache-2.0
"""How the programs of this folder report: one line per result, as the programs of ../maths do (maths/check.h)."""

import re
import sys
from contextlib import contextmanager

_CUDA = re.compile(r"/lib(cu|nv|nccl)[^/]*\.so")
_failures = 0


@contextmanager
def check(name: str):
    """One thing that is checked: `ok NAME`, or `FAIL NAME` with what came."""
    global _failures
    try:
        yield
    except Exception as error:
        _failures += 1
        text = " ".join(f"{type(error).__name__}: {error}".split())
        print(f"FAIL {name} {text}", flush=True)
    else:
        print(f"ok {name}", flush=True)


def expect(holds: object, what: str) -> None:
    if not holds:
        raise AssertionError(what)


def note(text: str) -> None:
    print(f"note {text}", flush=True)


def end(program: str) -> None:
    """Names the CUDA libraries of this process, and ends it."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        files = {line.split(maxsplit=5)[-1].rstrip("\n") for line in maps if _CUDA.search(line)}
    for file in sorted(files):
        print(f"map {file}")
    print(f"done {program}", flush=True)
    sys.exit(1 if _failures else 0)
