# SPDX-License-Identifier: Apache-2.0
"""What ELF files say about themselves, and editing them; 64-bit little-endian ones, in Python alone.

    image = read.read(path)      names, needs, versions and symbols; whatever is wrong is an ElfError
    edit.apply(path, Edit(...))  other needs, names, search paths; edit.undo(path) takes it back
"""

from .errors import ElfError, NotElf

__all__ = ["ElfError", "NotElf"]
