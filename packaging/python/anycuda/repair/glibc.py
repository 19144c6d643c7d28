# SPDX-License-Identifier: Apache-2.0
"""The glibc that a wheel's tag claims, and the glibc that the stubs need. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .scan import Member
from .stubs import Stub

# Tested with CUDA 11 and later; none of these runs with an older glibc.
_OLDEST = (2, 17)
_OWN_STUBS = (f"anycuda again (pip install . in a clone): its build makes stubs that need only glibc "
              f"{_OLDEST[0]}.{_OLDEST[1]}")


def too_new(member: Member, stubs: dict[str, Stub], promised: tuple[int, int] | None) -> list[Stub]:
    """A file's stubs that need a newer glibc than the wheel's tag claims and the file needs."""
    if promised is None:
        return []
    return [stub for stub in stubs.values() if stub.glibc > max(_OLDEST, member.glibc, promised)]


def refusal(stubs: Sequence[Stub], promised: tuple[int, int]) -> str:
    """The refusal of the wheel."""
    newest = dots(max(stub.glibc for stub in stubs))
    folders = sorted({str(stub.path.parent) for stub in stubs})
    names: dict[tuple[int, int], set[str]] = {}
    for stub in stubs:
        names.setdefault(stub.glibc, set()).add(stub.path.name)
    needs = "; ".join(f"{dots(version)} for {', '.join(sorted(names[version]))}" for version in sorted(names))
    return (f"the wheel's tag claims glibc {dots(promised)}, but the stubs need glibc {newest}. Install {_OWN_STUBS}. "
            f"Or pass --any-glibc, if the repaired wheel stays on machines with glibc {newest} or newer: its tag will "
            f"then be wrong. In {' and '.join(folders)}: glibc {needs}")


def note(platform: str, stubs: Iterable[Stub]) -> list[str]:
    """The note on the stubs of a wheel whose tag has this platform, which claims no glibc."""
    newest = needed(stubs)
    if newest is None:
        return []
    text = f"the tag {platform} names no glibc; the added stubs need glibc {dots(newest)}"
    if newest <= _OLDEST:
        return [text]
    return [f"{text}, and do not load with an older one. If you publish the wheel, first install {_OWN_STUBS}. "
            "Then repair the original wheel"]


def needed(stubs: Iterable[Stub]) -> tuple[int, int] | None:
    """The oldest glibc that all of the stubs run with; None without stubs."""
    return max((stub.glibc for stub in stubs), default=None)


def dots(version: tuple[int, int]) -> str:
    return ".".join(map(str, version))
