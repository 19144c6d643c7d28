# SPDX-License-Identifier: Apache-2.0
"""Reads and edits 64-bit little-endian ELF files, in pure Python. Every problem is an ElfError.

For the command and for the tools of this repository: imports nothing else of anycuda.

    image = read.read(path)      names, needs, versions and symbols, as the dynamic linker sees them
    lookup.library(name, ...)    the file that the dynamic linker would load
    mark.is_quiet(path)          the note in a stub
    edit.apply(path, Edit(...))  changes needs, names and search paths; edit.undo(path) reverts it

read.py is enough for most callers. Those that need the records themselves (segments, sections, the dynamic section)
make Headers(Source(file, name)) and use the constants of layout.py. The reading modules do not import edit/.
"""

from .errors import ElfError, NotElf

__all__ = ["ElfError", "NotElf"]
