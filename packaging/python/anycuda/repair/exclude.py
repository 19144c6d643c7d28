# SPDX-License-Identifier: Apache-2.0
"""The libraries (by name) and files of the wheel (by path, with a "/"; `./mod.so` is in no folder) that --exclude
leaves unchanged. Pure, except for the record of used patterns."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

from ..analysis.file_use import Use
from ..analysis.libraries import Table


class Exclude:
    def __init__(self, globs: Iterable[str] = ()) -> None:
        self._globs = tuple(globs)
        self._used: set[str] = set()

    def file(self, name: str) -> bool:
        return self._any([glob for glob in self._globs if "/" in glob], [name, f"./{name}"])

    def library(self, *names: str) -> bool:
        """Is the library excluded by one of its names?"""
        return self._any([glob for glob in self._globs if "/" not in glob], names)

    def use(self, use: Use, table: Table) -> bool:
        """Is the use excluded? A use without a library name matches every name of its library."""
        names = [use.needed] if use.needed else [major.soname for major in table.libraries[use.library].majors.values()]
        return self.library(*names)

    def unused(self) -> list[str]:
        """The patterns without a match, which may be mistyped."""
        return [glob for glob in self._globs if glob not in self._used]

    def _any(self, globs: list[str], names: Iterable[str]) -> bool:
        hits = [glob for glob in globs for name in names if fnmatchcase(name, glob)]
        self._used.update(hits)
        return bool(hits)
