# SPDX-License-Identifier: Apache-2.0
"""The selected part of the matrix. An unknown value is an error that lists the known ones."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from ..failure import Failure
from .data import ANY_CALLER, KINDS, Library, Matrix, Run, major_of


def values(texts: Iterable[str]) -> list[str]:
    """The values of a repeatable option: a, b and c for `a,b` and `c`."""
    return [part.strip() for text in texts for part in text.split(",")]


@dataclass(frozen=True)
class Selection:
    """The selection; what is empty selects all. A runtime may be a release (12.3) or a major (12)."""

    libraries: Sequence[str] = ()
    symbols: Sequence[str] = ()
    callers: Sequence[str] = ()
    runtimes: Sequence[str] = ()
    kinds: Sequence[str] = ()

    def __bool__(self) -> bool:
        return any((self.libraries, self.symbols, self.callers, self.runtimes, self.kinds))

    def apply(self, matrix: Matrix) -> list[Library]:
        """The selected libraries, each with its selected runs and runtimes."""
        _check("library", self.libraries, matrix.libraries)
        chosen = [
            library
            for name, library in matrix.libraries.items()
            if not self.libraries or name in self.libraries
        ]
        # The callers of all libraries, since the driver's functions have the single caller `any`.
        callers = _all(library.callers for library in matrix.libraries.values())
        _check("caller's major", self.callers, callers)
        runtimes = _all(library.runtimes for library in chosen)
        _check("runtime", self.runtimes, runtimes, {major_of(runtime) for runtime in runtimes})
        _check("kind", self.kinds, KINDS)
        self._check_symbols(chosen)
        return [self._narrow(library) for library in chosen]

    def _narrow(self, library: Library) -> Library:
        runtimes = [runtime for runtime in library.runtimes if self._has_runtime(runtime)]
        runs = []
        for run in library.runs:
            left = tuple(runtime for runtime in run.runtimes if runtime in runtimes)
            if left and self._wants(run):
                runs.append(run._replace(runtimes=left))
        return library._replace(runtimes=runtimes, runs=runs)

    def _wants(self, run: Run) -> bool:
        return (
            (not self.kinds or run.kind in self.kinds)
            and (not self.callers or run.caller in (*self.callers, ANY_CALLER))
            and self._has_symbol(run.symbol)
        )

    def _has_runtime(self, runtime: str) -> bool:
        return not self.runtimes or bool({runtime, major_of(runtime)} & set(self.runtimes))

    def _has_symbol(self, symbol: str) -> bool:
        return not self.symbols or any(fnmatchcase(symbol, glob) for glob in self.symbols)

    def _check_symbols(self, libraries: list[Library]) -> None:
        symbols = {run.symbol for library in libraries for run in library.runs}
        for glob in self.symbols:
            if not any(fnmatchcase(symbol, glob) for symbol in symbols):
                close = difflib.get_close_matches(glob, sorted(symbols), 3)
                hint = f": did you mean {', '.join(close)}?" if close else ": check its spelling"
                among = ", ".join(library.name for library in libraries)
                raise Failure(f"no function of {among} matches {glob!r}{hint}")


def _all(lists: Iterable[list[str]]) -> list[str]:
    return list(dict.fromkeys(value for values in lists for value in values))


def _check(what: str, asked: Sequence[str], known: Iterable[str], also: Iterable[str] = ()) -> None:
    known, also = list(known), set(also)
    for value in asked:
        if value not in known and value not in also:
            plain = sorted((major for major in also - set(known) if major.isdigit()), key=int)
            majors = f" (or a major: {', '.join(plain)})" if plain else ""
            raise Failure(f"unknown {what} {value!r}: use one of {', '.join(known)}{majors}")
