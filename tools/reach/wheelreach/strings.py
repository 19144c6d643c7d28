"""Names of libraries of one CUDA in a file's text: it may open them. Unlike `anycuda check`, this counts libraries
without a stub, too."""

from __future__ import annotations

import re

from anycuda.analysis.libraries import Table
from anycuda.elf.read import Image

# A whole string, or the end of a path, as given to dlopen. No look-behind: that would be ten times slower.
_NAME = re.compile(rb"lib[A-Za-z0-9_]+\.so\.\d[\d.]*(?=\0)")
_LONGER = frozenset(range(0x20, 0x7f)) - {ord("/")}


def opened(content: bytes, linked: set[str], table: Table) -> set[str]:
    """`linked`: names that the dynamic linker uses, which are in the file's text too."""
    names = {found[0].decode() for found in _NAME.finditer(content)
             if not found.start() or content[found.start() - 1] not in _LONGER}
    return {name for name in names - linked if of_one_cuda(name, table)}


def linked(image: Image) -> set[str]:
    nodes = {node for nodes in image.versions_needed.values() for node in nodes}
    return {image.soname, *image.needed, *image.versions_defined, *nodes}


def of_one_cuda(name: str, table: Table) -> bool:
    """Not libcurand.so.10 and libcutensor.so.2, which are the same in every CUDA, and not a name without a number."""
    named = table.named(name)
    if named:
        library = named.library
        return bool(named.major) and set(library.like(named.major)) != set(library.majors)
    return table.has_no_stub(name) and table.ties_to_cuda(name)
