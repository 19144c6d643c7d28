"""recipe -> lock: every wanted file looked up at its source, hash and size written down."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .debian import Apt
from .errors import FetchError
from .get import sha256
from .lockfile import Lock, LockedFile, Part, Artifact
from .pypi import Pip
from .wanted import ARCH, Deb, WantedArtifact, Wheel

Resolver = Callable[[Wheel | Deb, Path], LockedFile]


def resolve(
    wanted: list[WantedArtifact], sets: dict[str, list[str]], resolver: Resolver, work: Path
) -> Lock:
    """Looks up each file once, four at a time; the first that cannot be found ends the work."""
    files = list(dict.fromkeys(part.file for artifact in wanted for part in artifact.parts))

    def one(file: Wheel | Deb) -> LockedFile:
        with tempfile.TemporaryDirectory(prefix="resolve-", dir=work) as folder:
            return resolver(file, Path(folder))

    with ThreadPoolExecutor(4) as pool:
        locked = dict(zip(files, pool.map(one, files), strict=True))
    return Lock(
        files={file.name: file for file in sorted(locked.values(), key=lambda f: f.name)},
        artifacts={
            artifact.name: Artifact(
                name=artifact.name,
                arch=artifact.arch,
                parts=tuple(Part(locked[p.file].name, p.take, p.drop) for p in artifact.parts),
                links=artifact.links,
                write=artifact.write,
                join=artifact.join,
                holds=artifact.holds,
            )
            for artifact in sorted(wanted, key=lambda p: order(p.name))
        },
        sets={name: tuple(sorted(members, key=order)) for name, members in sorted(sets.items())},
    )


def order(name: str) -> tuple[str, list[tuple[int, str]]]:
    """Sorts by family, then by version as numbers: 12.9 before 12.10."""
    head, _, tail = name.partition("-")
    return head, [(int(word), "") if word.isdigit() else (0, word) for word in tail.split(".")]


def keeping(old: Lock, resolver: Resolver) -> Resolver:
    """Takes over what the old lock has of the same package, and version or suite; looks up only the
    rest.
    """
    known = {
        (f.package, f.version if f.source == "pypi" else f.suite, f.arch): f
        for f in old.files.values()
    }

    def look_up(file: Wheel | Deb, into: Path) -> LockedFile:
        is_wheel = isinstance(file, Wheel)
        key = (file.package, file.version if is_wheel else file.suite)
        arch = file.arch if is_wheel else ARCH
        return known.get((*key, arch)) or known.get((*key, "all")) or resolver(file, into)

    return look_up


def real_resolver(pip: Pip, apt: Apt, say: Callable[[str], None]) -> Resolver:
    """Wheels are downloaded to be hashed; for Debian packages apt's signed index already has hash
    and size.
    """
    mutex = threading.Lock()

    def look_up(file: Wheel | Deb, into: Path) -> LockedFile:
        if isinstance(file, Wheel):
            came = pip.resolve(file.package, file.version, file.arch, into)
            arch = "all" if came.name.endswith("-any.whl") else file.arch
            locked = LockedFile(
                came.name,
                "pypi",
                file.package,
                file.version,
                arch,
                sha256(came),
                came.stat().st_size,
            )
        else:
            with mutex:
                suite = apt.suite(file.suite, file.component)
                versions = suite.versions(file.package)
                if not versions:
                    raise FetchError(f"{file.package}: not in {file.suite}/{file.component}")
                record = suite.record(file.package, versions[0])
            arch = "all" if record["Architecture"] == "all" else ARCH
            locked = LockedFile(
                Path(record["Filename"]).name, "debian", file.package, versions[0], arch,
                record["SHA256"], int(record["Size"]), file.suite, file.component,
            )  # fmt: skip
        say(f"{locked.name} {locked.sha256}")
        return locked

    return look_up
