# SPDX-License-Identifier: Apache-2.0
"""The build folder under test: the folder in ANYCUDA_BUILD, or else build/dev or build/test. A missing build folder, or
a missing file in it, is an error."""

from __future__ import annotations

import functools
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, TypeVar

ROOT = Path(__file__).resolve().parents[3]
PRESETS = ("dev", "test")
Test = TypeVar("Test", bound=Callable[..., Any])


class MissingBuild(Exception):
    pass


def find(named: str | None = os.environ.get("ANYCUDA_BUILD"), root: Path = ROOT) -> Path:
    """`named`: the value of ANYCUDA_BUILD."""
    if named:
        folder = Path(named).resolve()
        if not (folder / "CMakeCache.txt").is_file():
            raise MissingBuild(f"ANYCUDA_BUILD={named} is not a build folder of CMake; set it to one, or unset it")
        return folder
    for preset in PRESETS:
        folder = root / "build" / preset
        if (folder / "CMakeCache.txt").is_file():
            return folder
    raise MissingBuild("ANYCUDA_BUILD is not set, and build/dev and build/test are missing; run "
                       "`cmake --preset dev && cmake --build --preset dev`")


BUILD = find()


def build_file(file: str) -> Path:
    """A file of the build folder."""
    path = BUILD / file
    if not path.exists():
        raise MissingBuild(f"{path} is missing; run `cmake --build {BUILD} --target all tests`")
    return path


def has_real_libraries() -> bool:
    """Whether the build has fetched real CUDA libraries for its tests: never without tests."""
    artifacts = BUILD / "tests/support/artifacts.list"
    return artifacts.exists() and artifacts.stat().st_size > 0


def with_real_libraries(test: Test) -> Test | None:
    """A test, or a class of tests, that needs real CUDA libraries: a build without these does not have the test."""
    return test if has_real_libraries() else None


def with_drop_ins(test: Test) -> Test | None:
    """A test, or a class of tests, of files that only packages need, which the preset dev does not build."""
    packages = re.search(r"^ANYCUDA_INSTALL:BOOL=ON$", build_file("CMakeCache.txt").read_text(encoding="utf-8"), re.M)
    return test if packages else None


@functools.cache
def artifact(name: str) -> Path:
    """The folder of an artifact in the cache."""
    done = subprocess.run([sys.executable, ROOT / "tools/fetch/fetch.py", "path", name], capture_output=True, text=True)
    if done.returncode != 0:
        raise MissingBuild(f"{name} is not in the cache; run `cmake --preset test`, which fetches it "
                           f"({done.stderr.strip()})")
    return Path(done.stdout.strip())
