# SPDX-License-Identifier: Apache-2.0
"""The NVIDIA libraries that the files of a wheel still need with stubs in it: the reasons why a requirement stays.
Pure."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from ..kind import Kind
from .distributions import Part
from .file_use import FileUse
from .libraries import Library, Linking

_NO_STUB_IN_IT = "no file of the wheel needs a stub, so the wheel needs it for another purpose"


class NeedKind(Kind):
    NEEDS = "still needs"  # the dynamic linker looks for it
    OPENS = "opens"


@dataclass(frozen=True)
class Need:
    """A library that a file needs. `name`: as the file spells it."""

    file: str
    name: str
    how: NeedKind


@dataclass(frozen=True)
class Remaining:
    """`stubs`: does any file of the wheel use one?"""

    needs: tuple[Need, ...]
    stubs: bool

    def why_stays(self, part: Part, major: str) -> str:
        """The reason why a requirement stays; "" if nothing in the wheel needs that part's libraries for this CUDA."""
        if not part.libraries:
            return part.stays
        for need in self.needs:
            if any(_is_of(need.name, library, major) for library in part.libraries):
                return f"{need.file} {need.how} {need.name}"
        return "" if self.stubs else _NO_STUB_IN_IT


def find(name: str, file: FileUse, needed: Iterable[str], inside: Collection[str]) -> list[Need]:
    """`needed`: its DT_NEEDED, with stubs in place. `inside`: names under which files of the wheel are found."""
    needs = [Need(name, library, NeedKind.NEEDS) for library in needed if library not in inside]
    if file.is_library:  # a library of CUDA opens others of the same CUDA, which come with it
        return needs
    strings = [text for use in file.uses if use.how is Linking.LOADED for text in use.strings]
    strings += file.unstubbed  # libnvblas.so.12 comes with cuBLAS
    return needs + [Need(name, text, NeedKind.OPENS) for text in strings if posixpath.basename(text) not in inside]


def uses_stubs(file: FileUse) -> bool:
    """Does the file use stubs after a repair?"""
    return not file.is_library and any(use.takes_stub or use.how is Linking.UNNAMED and not use.optional
                                       for use in file.uses)


def _is_of(file: str, library: Library, major: str) -> bool:
    """Is the file the library, a part of it or its companion, for this CUDA? libcublas.so matches every CUDA."""
    stem, _, number = posixpath.basename(file).partition(".so")
    if library.is_part(stem):
        return True
    if stem not in (library.stem, *library.companions) or major not in library.majors:
        return False
    first = number.strip(".").split(".")[0]
    if not first.isdigit():
        return True
    of_file = library.of_file(first)
    return of_file is not None and library.first(of_file) == library.first(major)
