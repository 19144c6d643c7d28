#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the manual pages and shell completion of the anycuda command, in the layout of an installation.

    PYTHONPATH=packaging/python python3 packaging/pages/make.py --version 0.1.0 --out build/share
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import man
import shells
from model import commands


def files(version: str) -> dict[str, str]:
    """Name below share/ -> text."""
    top, *named = every = commands()
    pages = {"man/man1/anycuda.1": man.page(top, tuple(named), version)}
    pages.update((f"man/man1/anycuda-{command.name}.1", man.page(command, (), version)) for command in named)
    return {
        **pages,
        "bash-completion/completions/anycuda": shells.bash(every),
        "zsh/site-functions/_anycuda": shells.zsh(every),
        "fish/vendor_completions.d/anycuda.fish": shells.fish(every),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--version", required=True, help="anycuda's version")
    parser.add_argument("--out", type=Path, required=True, help="folder share/ to write to")
    arguments = parser.parse_args()
    for name, text in files(arguments.version).items():
        path = arguments.out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
