# SPDX-License-Identifier: Apache-2.0
"""Reads and edits 64-bit little-endian ELF files, in pure Python.

    image = read.read(path)      names, needs, versions and symbols; every problem is an ElfError
    edit.apply(path, Edit(...))  changes needs, names and search paths; edit.undo(path) reverts it
"""

from .errors import ElfError, NotElf

__all__ = ["ElfError", "NotElf"]
