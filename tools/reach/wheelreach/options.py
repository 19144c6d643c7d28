"""What make.py and torch_beside.py are told."""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--anycuda", type=Path, required=True, help="the built command, BUILD/bin/anycuda")
    parser.add_argument("--cache", type=Path, required=True, help="a folder for what is downloaded and for results")
    parser.add_argument("--list", type=Path, required=True, help="the list of wheels")
    parser.add_argument("--out", type=Path, required=True, help="the page")
    parser.add_argument("--again", action="store_true", help="measure again what has results in the cache")


def interpreter(path: str) -> tuple[str, Path]:
    """(its version as in 3.9, the file of a CPython itself: the dynamic linker starts no script)."""
    program = "import os, sys; print('%d.%d' % sys.version_info[:2], os.path.realpath(sys.executable))"
    try:
        done = subprocess.run([path, "-c", program], capture_output=True, text=True)
    except OSError as error:
        raise argparse.ArgumentTypeError(f"{path} does not start: {error.strerror}") from None
    version, _, file = done.stdout.strip().partition(" ")
    if done.returncode or not file:
        raise argparse.ArgumentTypeError(f"{path} is no Python that starts: {done.stderr.strip()}")
    return version, Path(file)
