# SPDX-License-Identifier: Apache-2.0
"""The ties to one CUDA as sentences. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from . import distributions
from .describe_kernels import listed, some
from .libraries import Table
from .ties import Tie, TieKind

PAGE = 'docs/troubleshooting.md, "tied to CUDA 12 by ..."'
_MOST_GROUPS = 3  # groups of libraries whose files a short sentence names; of more groups it counts the files


@dataclass(frozen=True)
class _Words:
    """`verb`: of several files; a kind's value is that of one file. `by`: before the files, after the library's name.
    `fails`, `fail`: what happens where the library is not installed, of one file and of several; {it} is the library
    or the libraries."""

    verb: str
    by: str
    fails: str
    fail: str


_WORDS = {
    TieKind.NEEDS: _Words("need", "", "the file does not load", "the files do not load"),
    TieKind.OPENS: _Words("open", "opened by ", *["features that open {it} do not work"] * 2),
}


def tied(ties: Sequence[Tie], short: bool = False) -> str:
    """tied to CUDA 12 by libnppc.so.12 (a.so), libnpps.so.12 (opened by b.so)"""
    by = _few if short else _libraries
    by_cuda: dict[str, list[Tie]] = {}
    for tie in ties:
        by_cuda.setdefault(tie.cuda, []).append(tie)
    return "; ".join(f"tied {f'to CUDA {cuda} ' if cuda else ''}by {by(group)}"
                     for cuda, group in by_cuda.items())


def without_stub(files: Sequence[str], how: TieKind, libraries: Sequence[str], table: Table) -> str:
    """a.so and b.so need libnppc.so.12 (nvidia-npp-cu12), for which anycuda has no stub: where this library is not
    installed, the files do not load"""
    these, it = ("this library is", "it") if len(libraries) == 1 else ("these libraries are", "them")
    words = _WORDS[how]
    verb, fails = (how, words.fails) if len(files) == 1 else (words.verb, words.fail)
    asked = distributions.with_packages(libraries, table)
    return (f"{some(files)} {verb} {asked}, for which anycuda has no stub: where {these} not installed, "
            f"{fails.format(it=it)}")


def _libraries(ties: Iterable[Tie]) -> str:
    return ", ".join(f"{library} ({_WORDS[how].by}{', '.join(files)})"
                     for (library, how), files in _users(ties).items())


def _few(ties: Iterable[Tie]) -> str:
    """libcupti.so.12 (a.so), libnppc.so.12 and libnppig.so.12 (b.so, c.so, d.so and 4 more)"""
    groups: dict[tuple[TieKind, tuple[str, ...]], list[str]] = {}
    for (library, how), files in _users(ties).items():
        groups.setdefault((how, tuple(files)), []).append(library)
    return ", ".join(f"{listed(names)} ({_WORDS[how].by}{_files(files, len(groups) > _MOST_GROUPS)})"
                     for (how, files), names in groups.items())


def _users(ties: Iterable[Tie]) -> dict[tuple[str, TieKind], list[str]]:
    """(library, how) -> files"""
    users: dict[tuple[str, TieKind], list[str]] = {}
    for tie in ties:
        users.setdefault((tie.library, tie.how), []).append(tie.file)
    return users


def _files(names: Sequence[str], count: bool) -> str:
    return f"{len(names)} files" if count and len(names) > 1 else some(names)
