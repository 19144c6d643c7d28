#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the wheels for PyPI: manylinux2014 (glibc 2.17), for x86_64 and aarch64, both on this machine with zig.

    python3 packaging/wheel/build.py [--cpu x86_64] [--out dist] [--sdist]

Needs CMake, Python 3.11, scikit-build-core, shtab and zig (`pip install scikit-build-core shtab ziglang`). The same
sources give the same bytes: times in the wheel are SOURCE_DATE_EPOCH, by default the last commit's. Each finished wheel
is inspected (inspection.py).
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).resolve().parent))

import inspection  # noqa: E402

CPUS = ("x86_64", "aarch64")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cpu", choices=CPUS, action="append", help="build for this CPU (default: both)")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="folder for the wheels (default: dist/)")
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="folder for build files (default: build/)")
    parser.add_argument("--sdist", action="store_true", help="also build the source distribution")
    arguments = parser.parse_args()
    try:
        import shtab
        from scikit_build_core import build as backend
    except ImportError as error:
        packages = "scikit-build-core shtab" if has_zig() else "scikit-build-core shtab ziglang"
        print(f"build.py: {error.name} is not installed: run `pip install {packages}`", file=sys.stderr)
        return 2
    # For the Python that CMake finds, which may be another one.
    os.environ["PYTHONPATH"] = os.pathsep.join(
        filter(None, (os.environ.get("PYTHONPATH"), str(Path(shtab.__file__).parents[1]))))
    out = arguments.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("SOURCE_DATE_EPOCH", date_of_sources())
    os.environ.setdefault("CMAKE_GENERATOR", "Unix Makefiles")  # the default of CMake and of the presets
    builds = arguments.build.resolve()
    os.chdir(ROOT)  # a backend builds the current folder
    fit = True
    for cpu in arguments.cpu or CPUS:
        wheel = out / backend.build_wheel(str(out), settings(cpu, builds / f"zig-{cpu}"))
        wrong = inspection.of_wheel(wheel, cpu, (str(ROOT), str(builds), str(Path.home())))
        for sentence in wrong:
            print(f"build.py: {wheel.name}: {sentence}", file=sys.stderr)
        fit = fit and not wrong
        print(f"{wheel}  {wheel.stat().st_size / 1e6:.1f} MB{'' if not wrong else '  NOT FIT TO SHIP'}")
    if arguments.sdist:
        print(out / backend.build_sdist(str(out)))
    return 0 if fit else 1


def has_zig() -> bool:
    return shutil.which("zig") is not None or importlib.util.find_spec("ziglang") is not None


def settings(cpu: str, build: Path) -> dict[str, str]:
    return {
        "build-dir": str(build),  # kept, so that only changes are compiled again
        "cmake.args": f"--toolchain={ROOT / 'cmake' / 'toolchains' / f'zig-{cpu}.cmake'}",
        "wheel.tags": f"py3-none-manylinux2014_{cpu};py3-none-manylinux_2_17_{cpu}",
    }


def date_of_sources() -> str:
    """Seconds since 1970; 2025-01-01 without git."""
    result = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True)
    return result.stdout.strip() if result.returncode == 0 else "1735689600"


if __name__ == "__main__":
    sys.exit(main())
