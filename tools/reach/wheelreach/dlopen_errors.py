# SPDX-License-Identifier: Apache-2.0
"""What a message of the dynamic linker reports as missing, and its owner."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from anycuda.analysis.libraries import Table
from anycuda.elf.read import Image

_LIBRARY = re.compile(r"(?:^|[\s:])([^\s:/]+): cannot open shared object file")
_SYMBOL = re.compile(r"undefined symbol: ([^\s,]+)(?:, version (\S+))?|symbol ([^\s,]+),? version (\S+) not defined")
_VERSION = re.compile(r"version [`']([^']+)' not found")
_CRASH = re.compile(r"ended with (-?\d+(?: in \S*)?)")

_TORCH_FILE = re.compile(r"lib(torch\w*|c10\w*|shm|caffe2\w*)\.so.*")
_TORCH_SYMBOL = re.compile(r"_Z\w*?(2at|3c10|5torch|6caffe2)\d?|THP\w+|torch_\w+|aoti_torch_\w+")
_PYTHON_FILE = re.compile(r"libpython3(\.\d+)?t?\.so.*")
_PYTHON_SYMBOL = re.compile(r"_?Py[A-Z_]\w*")
_SYSTEM_VERSION = re.compile(r"(GLIBC|GLIBCXX|CXXABI|GCC)_[\d.]+")


# Behind the message of a process that ended: the dynamic linker finds everything that the file needs.
BOUND = ", all functions bound"


@dataclass(frozen=True)
class Lack:
    """`kind`: "library", "symbol", "version", "crash", "constructor" (everything was found, and code of the file itself
    then ended the process) or "other"; `what`: its name, or the message; `version`: of a symbol."""

    kind: str
    what: str
    version: str = ""


def parse(message: str) -> Lack:
    """Of what dlopen says. A "crash" is a process that ended without an answer."""
    if found := _LIBRARY.search(message):
        return Lack("library", found[1])
    if found := _SYMBOL.search(message):
        return Lack("symbol", found[1] or found[3], found[2] or found[4] or "")
    if found := _VERSION.search(message):
        return Lack("version", found[1])
    if found := _CRASH.fullmatch(message.removesuffix(BOUND)):
        return Lack("constructor" if message.endswith(BOUND) else "crash", found[1])
    return Lack("other", re.sub(r"(?<![\w.])/\S*/", "", message))


def is_fault_in(message: str, images: Iterable[Image]) -> bool:
    """Did the process end in the code of one of these libraries?"""
    file = message.partition(" in ")[2] if _CRASH.fullmatch(message) else ""
    return file in {image.path.name for image in images}


def owner(lack: Lack, table: Table) -> str:
    """"CUDA" (a library or function that has a stub), "NVIDIA" (a library without a stub), "PyTorch", "Python",
    "system" (the C or C++ library is older than the file needs), or "another package"."""
    if lack.kind == "library":
        return _owner_of_file(lack.what, table)
    if lack.kind == "symbol":
        return _owner_of_symbol(lack, table)
    if lack.kind == "version":
        if table.of_symbol_version(lack.what):
            return "CUDA"
        return "system" if _SYSTEM_VERSION.fullmatch(lack.what) else "another package"
    return "another package"


def _owner_of_file(name: str, table: Table) -> str:
    if table.named(name):
        return "CUDA"
    if table.has_no_stub(name):
        return "NVIDIA"
    if _TORCH_FILE.fullmatch(name):
        return "PyTorch"
    return "Python" if _PYTHON_FILE.fullmatch(name) else "another package"


def _owner_of_symbol(lack: Lack, table: Table) -> str:
    if table.of_symbol_version(lack.version) or table.of_symbol(lack.what):
        return "CUDA"
    if _TORCH_SYMBOL.match(lack.what):
        return "PyTorch"
    return "Python" if _PYTHON_SYMBOL.fullmatch(lack.what) else "another package"
