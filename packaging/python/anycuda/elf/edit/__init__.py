# SPDX-License-Identifier: Apache-2.0
"""Edits needs, names, search paths and version needs of a linked file, and undoes that byte for byte.

    edit.apply(path, Edit(needed={"libcudart.so.12": "libcudart.so"}))
    edit.undo(path)
"""

from .dynamic_info import Edit
from .editor import Done, apply, is_edited, preview, undo

__all__ = ["Done", "Edit", "apply", "is_edited", "preview", "undo"]
