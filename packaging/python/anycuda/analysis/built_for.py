# SPDX-License-Identifier: Apache-2.0
"""The CUDA that the files of one wheel were built for; a wheel is built against one CUDA. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from .file_use import Use
from .libraries import Library, Table


def majors(uses: Iterable[Use]) -> dict[str, set[str]]:
    """library -> the majors that files record."""
    recorded: dict[str, set[str]] = {}
    for use in uses:
        if use.takes_stub:
            recorded.setdefault(use.library, set()).update(use.majors)
    return recorded


def by_others(recorded: dict[str, set[str]], library: Library, table: Table) -> str:
    """The major of a library's unversioned functions, from the files that record theirs; "" if these differ."""
    candidates = recorded.get(library.name) or _common(recorded, library, table)
    return next(iter(candidates)) if len(candidates) == 1 else ""


def _common(recorded: dict[str, set[str]], library: Library, table: Table) -> set[str]:
    """The majors of a library that agree with the majors of all other libraries."""
    others = [{alike for major in group for alike in table.libraries[name].like(major)}
              for name, group in recorded.items() if group]
    common = set.intersection(*others) if others else set()
    return {library.first(major) for major in common if major in library.majors}
