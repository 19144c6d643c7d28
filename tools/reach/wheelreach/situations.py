# SPDX-License-Identifier: Apache-2.0
"""Folders that stand for machines: without CUDA, and with one release as a toolkit in /usr/local/cuda."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

RELEASES = ("11.8", "12.9", "13.5")
NONE = "none"
ALL = (NONE, *RELEASES)
# The file that the stub of the runtime opens there.
RUNTIME = {NONE: "", "11.8": "libcudart.so.11.0", "12.9": "libcudart.so.12", "13.5": "libcudart.so.13"}
_FETCH = Path(__file__).resolve().parents[2] / "fetch" / "fetch.py"


def make(folder: Path) -> dict[str, Path]:
    """The situation's name -> its root."""
    roots = {}
    for release in ALL:
        root = folder / release
        shutil.rmtree(root, ignore_errors=True)
        libraries = root / "usr/local/cuda/lib64"
        (root / "home").mkdir(parents=True)
        if release != NONE:
            libraries.mkdir(parents=True)
            for artifact in _artifacts(release):
                for path in sorted(artifact.rglob("*.so*")):
                    if not path.is_dir():
                        _place(path.resolve(), libraries / path.name)
        roots[release] = root
    return roots


def _artifacts(release: str) -> list[Path]:
    names = ["cudart", "nvrtc"] + ([] if release.startswith("11.") else ["nvjitlink"])
    done = subprocess.run([sys.executable, _FETCH, "get", "--strict", *(f"{name}-{release}" for name in names)],
                          capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"CUDA {release} cannot be fetched: {done.stderr}")
    return [Path(line.partition(" ")[2]) for line in done.stdout.splitlines()]


def _place(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy(source, target)
