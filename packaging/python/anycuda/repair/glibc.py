# SPDX-License-Identifier: Apache-2.0
"""The glibc that a wheel's tag claims, and the glibc that the stubs need. Pure."""

from __future__ import annotations

from .scan import Member
from .stubs import Stub

# Tested with CUDA 11 and later; none of these runs with an older glibc.
_OLDEST = (2, 17)


def too_new(member: Member, stubs: dict[str, Stub], promised: tuple[int, int] | None) -> list[Stub]:
    """A file's stubs that need a newer glibc than the wheel's tag claims and the file needs."""
    if promised is None:
        return []
    return [stub for stub in stubs.values() if stub.glibc > max(_OLDEST, member.glibc, promised)]


def refusal(stubs: list[Stub], promised: tuple[int, int]) -> str:
    """The refusal of the wheel."""
    newest = _dots(max(stub.glibc for stub in stubs))
    folders = sorted({str(stub.path.parent) for stub in stubs})
    names: dict[tuple[int, int], set[str]] = {}
    for stub in stubs:
        names.setdefault(stub.glibc, set()).add(stub.path.name)
    needs = "; ".join(f"{_dots(version)} for {', '.join(sorted(names[version]))}" for version in sorted(names))
    return (f"the wheel's tag claims glibc {_dots(promised)}, but the stubs need glibc {newest}. Install anycuda's "
            f"wheel, whose stubs need only glibc {_dots(_OLDEST)}: build it in a clone (python3 "
            "packaging/wheel/build.py), or get it from PyPI once it is there. Or pass --any-glibc, if the repaired "
            f"wheel stays on machines with glibc {newest} or newer: its tag will then be wrong. Stubs need the glibc "
            f"of the machine where they were built; in {' and '.join(folders)}: glibc {needs}")


def _dots(version: tuple[int, int]) -> str:
    return ".".join(map(str, version))
