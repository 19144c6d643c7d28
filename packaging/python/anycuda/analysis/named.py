# SPDX-License-Identifier: Apache-2.0
"""Names of CUDA libraries in a wheel's program texts, which may open them. In Python, only string constants that a
program can use count, not comments and docstrings. Pure."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

from . import libraries, python_text

# The note of `anycuda check` and `repair`: Python's dlopen does not search the folders of a wheel.
WHO_SERVES = ("if the file opens this name, it gets NVIDIA's library, not the stub; `anycuda run` serves names with a "
              "number, such as libcudart.so.12")
_NO_STUB = "if the file opens this name, NVIDIA's library must be installed, since anycuda has no stub for it"
_SPACE = re.compile(rb"\s")
_TEXTS = (".py", ".pth", ".sh", ".json")
_LONGEST = 200  # bytes of a name that the end of a block may cut
LARGEST = 1 << 22  # bytes of a Python file that is parsed


class Named:
    """Collects names from a file that comes in blocks. `of_text`: it is a program text; other files are not
    searched."""

    def __init__(self, name: str, size: int) -> None:
        self.of_text = name.endswith(_TEXTS)
        self._found: set[bytes] = set()
        self._before = b""
        self._python: list[bytes] | None = [] if name.endswith(".py") and size <= LARGEST else None

    def add(self, block: bytes) -> None:
        if not self.of_text:
            return
        self._found.update(_names().findall(self._before + block))
        self._before = (self._before + block)[-_LONGEST:]
        if self._python is not None:
            self._python.append(block)

    @property
    def python(self) -> bytes | None:
        """The content of a Python file; None for other files and for one too large to be parsed."""
        return None if self._python is None else b"".join(self._python)

    def names(self) -> tuple[str, ...]:
        found = self._found
        if found and self._python is not None:
            found = _in_python(b"".join(self._python), found)
        return tuple(sorted(one.decode("ascii", "replace") for one in found))


def of_nvidia(names: Iterable[str]) -> tuple[str, ...]:
    """The names without those of stubs."""
    return tuple(name for name in names if "_stub" not in name)


def by_fate(names: Iterable[str], table: libraries.Table) -> dict[str, list[str]]:
    """A sentence about a name's fate -> the names with that fate."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(WHO_SERVES if _has_stub(re.split("[-.]", name)[0], table) else _NO_STUB, []).append(name)
    return found


def _has_stub(stem: str, table: libraries.Table) -> bool:
    return stem not in table.unstubbed_stems and not any(one.is_part(stem) for one in table.libraries.values())


def _stems() -> list[str]:
    """The stems of all libraries except the driver's, with or without a stub, longest first."""
    table = libraries.table()
    stubbed = {library.stem for library in table.libraries.values() if not library.is_driver}
    return sorted(map(re.escape, stubbed | table.unstubbed_stems), key=lambda stem: (-len(stem), stem))


@functools.cache
def _files() -> re.Pattern[bytes]:
    """Matches names of files: libcudart.so.12, libcudart-{}.so.12, libcudnn_ops.so.9; neither libnccl_ep.so, a
    different library, nor libcudart.cudaMalloc."""
    table = libraries.table().libraries.values()
    own = "|".join((*_stems(), *(re.escape(library.parts) + r"[a-z_]+" for library in table if library.parts)))
    stubs_ = "|".join(re.escape(library.stub) for library in table)
    return re.compile(rf"(?:(?:{own})(?:[-.][\w{{}}*%]+)?\.so[.\w*%{{}}]*|{stubs_})".encode())


@functools.cache
def _names() -> re.Pattern[bytes]:
    """Matches the names of libraries and stubs in a text; neither archives for the linker (libcudart_static.a) nor the
    driver, which no wheel brings."""
    table = libraries.table().libraries.values()
    own = "|".join(_stems())
    stubs_ = "|".join(re.escape(library.stub) for library in table)
    return re.compile(rf"(?:{own})(?!_static|_stub)[-\w.*%{{}}]*|{stubs_}".encode())


def _in_python(content: bytes, of_text: set[bytes]) -> set[bytes]:
    """The names in the string constants. `of_text`: the names in the whole text, used if the file is not valid
    Python."""
    found = python_text.pieces(content)
    if found is None:
        return of_text
    strings = dict.fromkeys(one for one in found.strings if _names().search(one))
    return {name for string in strings for name in _of_constant(string)}


def _of_constant(string: bytes) -> list[bytes]:
    """The names in a string literal; a literal that this Python cannot parse counts as text."""
    values = python_text.values(string)
    if values is None:
        return _names().findall(string)
    return [name for value in values for name in _of_string(value)]


def _of_string(text: bytes) -> list[bytes]:
    """The names in a string that may be given to dlopen or begin such a name; none in a sentence or command."""
    if _names().fullmatch(text) and b"." not in text and b"_" not in text:
        return [text]  # libcudart
    return [] if _SPACE.search(text) else _files().findall(text)
