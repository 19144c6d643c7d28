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
    needs = sorted({f"{stub.path} (needs {_dots(stub.glibc)})" for stub in stubs})
    return (f"the wheel's tag claims glibc {_dots(promised)}, but these stubs need a newer one: {', '.join(needs)}. "
            "Stubs need the glibc of the machine where they were built; those in anycuda's wheel need "
            f"{_dots(_OLDEST)}. Install anycuda from PyPI, or build its wheel (packaging/wheel/build.py) and install "
            "that; or pass --any-glibc: the tag will then be wrong")


def _dots(version: tuple[int, int]) -> str:
    return ".".join(map(str, version))
