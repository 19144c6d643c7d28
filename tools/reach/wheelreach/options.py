# SPDX-License-Identifier: Apache-2.0
"""Command-line options of make.py, torch_beside.py and onnxruntime_session.py."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from . import wheel_list

_OLDEST = (3, 9)  # for open_each.py


class Interpreter(NamedTuple):
    """`version` as in 3.9; `file`: of CPython itself, since the dynamic linker starts no script."""

    version: str
    file: Path


THIS = Interpreter(f"{sys.version_info.major}.{sys.version_info.minor}", Path(sys.executable).resolve())


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--anycuda", type=Path, required=True, help="the built command, BUILD/bin/anycuda")
    parser.add_argument("--cache", type=Path, required=True, help="folder for downloads and results")
    parser.add_argument("--list", type=Path, required=True, help="the list of wheels")
    parser.add_argument("--out", type=Path, required=True, help="the page")


def add_again(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--again", action="store_true", help="measure wheels again that have results in the cache")


def entries(file: Path) -> list[wheel_list.Entry]:
    """Of a list of wheels. Ends the program where a line cannot be read."""
    try:
        return wheel_list.parse(file.read_text())
    except wheel_list.ListError as error:
        sys.exit(f"{file}: {error}")


def interpreter(path: str) -> Interpreter:
    """The type of the option --python. It runs the program at `path`."""
    program = "import os, sys; print('%d.%d' % sys.version_info[:2], os.path.realpath(sys.executable))"
    try:
        done = subprocess.run([path, "-c", program], capture_output=True, text=True)
    except OSError as error:
        raise argparse.ArgumentTypeError(f"{path} does not start: {error.strerror}") from None
    version, _, file = done.stdout.strip().partition(" ")
    if done.returncode or not file:
        raise argparse.ArgumentTypeError(f"{path} does not run as Python: {done.stderr.strip()}")
    if tuple(map(int, version.split("."))) < _OLDEST:
        raise argparse.ArgumentTypeError(f"{path} is Python {version}, older than {'.'.join(map(str, _OLDEST))}")
    return Interpreter(version, Path(file))
