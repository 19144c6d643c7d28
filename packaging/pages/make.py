#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the manual pages and shell completion of the anycuda command, in the layout of an installation.

    PYTHONPATH=packaging/python python3 packaging/pages/make.py --version 0.1.0 --out build/share --completion

The completion needs shtab.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import man
from anycuda.__main__ import command_line
from model import commands


def pages(version: str) -> dict[str, str]:
    """Name below share/ -> text."""
    top, *named = commands()
    return {"man/man1/anycuda.1": man.page(top, tuple(named), version),
            **{f"man/man1/anycuda-{command.name}.1": man.page(command, (), version) for command in named}}


def completion() -> dict[str, str]:
    import shells
    return shells.files(command_line())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--version", required=True, help="anycuda's version")
    parser.add_argument("--out", type=Path, required=True, help="folder share/ to write to")
    parser.add_argument("--completion", action="store_true", help="also write the completion")
    arguments = parser.parse_args()
    for name, text in {**pages(arguments.version), **(completion() if arguments.completion else {})}.items():
        path = arguments.out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
