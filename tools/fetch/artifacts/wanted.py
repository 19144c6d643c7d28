"""The words in which a recipe says what it wants, before files and hashes are known."""

from __future__ import annotations

from dataclasses import dataclass, field

# Of the machine that uses the artifacts. Every file and artifact carries its own.
ARCH = "x86_64"


@dataclass(frozen=True)
class Wheel:
    """A Python package of one exact version. `arch` may be another than that of the artifact: what runs under an
    emulator is for any machine."""

    package: str
    version: str
    arch: str = ARCH


@dataclass(frozen=True)
class Deb:
    """A Debian package, whatever version its suite has when the lock is made."""

    package: str
    suite: str
    component: str = "main"


@dataclass(frozen=True)
class WantedPart:
    file: Wheel | Deb
    take: dict[str, str]
    drop: tuple[str, ...] = ()


@dataclass(frozen=True)
class WantedArtifact:
    name: str
    parts: tuple[WantedPart, ...]
    links: dict[str, str] = field(default_factory=dict)
    write: dict[str, list[str]] = field(default_factory=dict)
    join: dict[str, str] = field(default_factory=dict)
    holds: dict[str, str] = field(default_factory=dict)
    arch: str = ARCH
