# SPDX-License-Identifier: Apache-2.0
"""The glibc that a wheel's name promises to be enough, and the one that the stubs need. Pure."""

from __future__ import annotations

from .scan import Member
from .stubs import Stub

# What was tested with CUDA 11 and later; no such CUDA runs with an older glibc.
_OLDEST = (2, 17)


def too_new(member: Member, stubs: dict[str, Stub], promised: tuple[int, int] | None) -> list[Stub]:
    """Those of the stubs of a file that need a newer glibc than the wheel promises and the file itself needs."""
    if promised is None:
        return []
    return [stub for stub in stubs.values() if stub.glibc > max(_OLDEST, member.glibc, promised)]


def refusal(stubs: list[Stub], promised: tuple[int, int]) -> str:
    """For the whole wheel."""
    needs = sorted({f"{stub.path} (needs {_dots(stub.glibc)})" for stub in stubs})
    return (f"the wheel promises to run with glibc {_dots(promised)}, and these stubs do not: {', '.join(needs)}. They "
            f"need the glibc of where they were built; those of anycuda's wheel need {_dots(_OLDEST)}. Install "
            "anycuda from PyPI, or build its wheel (packaging/wheel/build.py) and install that; or say --any-glibc, "
            "and then the wheel's name promises too much")


def _dots(version: tuple[int, int]) -> str:
    return ".".join(map(str, version))
