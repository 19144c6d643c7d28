# SPDX-License-Identifier: Apache-2.0
"""The wheel under test. As a program: builds it, of the stubs in ANYCUDA_BUILD."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CPU = os.environ["ANYCUDA_WHEEL_CPU"]
WHEEL = Path(os.environ["ANYCUDA_WHEEL_FILE"])
# What the caller may decide: where programs and caches are, and how many compilers run.
_FROM_CALLER = ("PATH", "HOME", "TMPDIR", "XDG_CACHE_HOME", "ANYCUDA_CACHE", "ZIG_GLOBAL_CACHE_DIR", "PYTHONPATH",
                "CMAKE_BUILD_PARALLEL_LEVEL")


def build(out: Path) -> Path:
    environment = {name: os.environ[name] for name in _FROM_CALLER if name in os.environ}
    words = [sys.executable, ROOT / "packaging/wheel/build.py", "--cpu", CPU, "--out", out,
             "--build", Path(os.environ["ANYCUDA_BUILD"]).parent]  # fmt: skip
    result = subprocess.run(words, env={**environment, "SOURCE_DATE_EPOCH": "1735689600"}, capture_output=True,
                            text=True, timeout=500)
    if result.returncode:
        sys.exit(result.stdout + result.stderr)
    return out / WHEEL.name


if __name__ == "__main__":
    build(WHEEL.parent)
