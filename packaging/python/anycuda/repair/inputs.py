# SPDX-License-Identifier: Apache-2.0
"""The wheels of a path on the command line: a wheel, or a folder with wheels in it. For anything else, the message says
what it is and what to do with it."""

from __future__ import annotations

import os
from pathlib import Path

from ..failure import Failure

_PATCH = "`anycuda patch` edits the programs and libraries in it: {unpack}, patch them, and build it again"
_CONDA = f"a conda package. {_PATCH.format(unpack='unpack it (cph extract FILE)')}"
_SOURCES = ("not a wheel but a source archive without built libraries. Build a wheel from it (pip wheel --no-deps "
            "FILE) and repair that")
_OTHERS = {
    ".conda": _CONDA,
    ".tar.bz2": _CONDA,
    ".deb": f"a Debian package. {_PATCH.format(unpack='unpack it (dpkg-deb -R FILE FOLDER)')}",
    ".rpm": "an RPM package. Run `anycuda patch` on the programs and libraries when the package is built",
    ".tar.gz": _SOURCES, ".tgz": _SOURCES, ".tar.xz": _SOURCES, ".zip": _SOURCES,
}


def find(path: Path) -> list[Path]:
    """The wheels; for a folder, those directly in it, sorted by name."""
    if not os.path.lexists(path):
        raise Failure(f"{path} does not exist: name a wheel or a folder with wheels")
    if path.is_dir() and path.suffix != ".whl":
        return _in_folder(path)
    what = next((text for ending, text in _OTHERS.items() if path.name.lower().endswith(ending)), "")
    if not what and path.suffix != ".whl" and _is_elf(path):
        what = "a program or library, not a wheel. `anycuda patch` edits it"
    if what:
        raise Failure(f"{path}: {what}")
    return [path]


def _in_folder(folder: Path) -> list[Path]:
    try:
        wheels = sorted(folder / name for name in os.listdir(folder) if name.endswith(".whl"))
    except OSError as error:
        raise Failure(f"{folder}: {error.strerror}") from None
    if not wheels:
        raise Failure(f"{folder} has no wheels (*.whl) directly in it: name the wheels, or the folder that has them")
    return wheels


def _is_elf(path: Path) -> bool:
    try:
        if not path.is_file():  # a pipe would block
            return False
        with open(path, "rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False
