# SPDX-License-Identifier: Apache-2.0
"""A file's use of a library in words: how the file is linked to it, and the CUDA that it was built for. Pure."""

from __future__ import annotations

from ..analysis import libraries
from ..analysis.file_use import FileUse, Use
from ..analysis.libraries import Linking
from ..matrix.data import ANY_CALLER
from .cells import Asked
from .findings import File


def caller(major: str, library: str) -> str:
    """The caller's majors; several if they share a SONAME: 12 or 13."""
    entry = libraries.table().libraries.get(library)
    if entry and major in entry.majors:
        return entry.label(major)
    return {ANY_CALLER: "", "": "?"}.get(major, major)


def linking(use: Use, file: File) -> str:
    if use.needed in file.use.hooked:
        return f"{use.needed} (kept: the file rewrites its functions)"
    if use.needed in file.kept:
        return f"{use.needed} (a copy that repair keeps)"
    if use.how is Linking.UNNAMED:
        return "not linked: another file must load the library"
    return {Linking.STUB: f"{use.needed} (anycuda)", Linking.PEER: f"{use.needed} (another project's stub)",
            Linking.RENAMED: f"{use.needed} (a copy)"}.get(use.how, use.needed or "")


def built_for(use: Use) -> str:
    if not libraries.table().libraries[use.library].tells_built_for:
        return ""
    if not use.symbols:
        return ", ".join(use.built_for)
    versioned = {symbol.major for symbol in use.symbols}
    if versioned == {""}:
        return f"{use.built_for[0]} (no versions)" if len(use.majors) == 1 else "unknown"
    return ", ".join(use.built_for) + (", some unknown" if "" in versioned else "")


def is_native(use: Use, asked: Asked) -> bool:
    """Is the file linked to a stub directly, and would its calls otherwise have a major?"""
    return use.native and libraries.table().libraries[use.library].records_major and asked.wants(use.library)


def stubs_inside(use: FileUse, asked: Asked) -> list[str]:
    """The selected libraries whose stubs are linked into the file."""
    return [name for name in use.stubs_inside if asked.wants(name)]


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
