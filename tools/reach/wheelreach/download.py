# SPDX-License-Identifier: Apache-2.0
"""One wheel by `pip download`, from the index that pip is configured for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from .wheel_list import Entry

_GLIBC = (39, 38, 36, 35, 34, 31, 28, 27, 26, 25, 24, 17, 12, 5)
_PLATFORMS = [f"manylinux_2_{minor}_x86_64" for minor in _GLIBC] + [
    "manylinux2014_x86_64", "manylinux2010_x86_64", "manylinux1_x86_64", "linux_x86_64"]
_SECONDS = 600


class DownloadError(Exception):
    pass


def fetch(entry: Entry, folder: Path) -> Path:
    """The wheel in `folder`; one that is already there is taken."""
    found = sorted(folder.glob("*.whl"))
    if found:
        return found[0]
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
               "--only-binary", ":all:", "--implementation", "cp", "--python-version", entry.python,
               *(word for platform in _PLATFORMS for word in ("--platform", platform)), "--dest", str(folder),
               entry.requirement]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        raise DownloadError(f"pip download took more than {_SECONDS} seconds") from None
    found = sorted(folder.glob("*.whl"))
    if done.returncode or not found:
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR:")]
        raise DownloadError(errors[-1].removeprefix("ERROR: ") if errors else f"pip ended with {done.returncode}")
    return found[0]
