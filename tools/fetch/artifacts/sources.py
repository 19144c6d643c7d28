# SPDX-License-Identifier: Apache-2.0
"""The real sources of files: apt for Debian packages, pip for wheels; Debian's pip where Python has none."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

from .cache import Cache
from .debian import Apt
from .errors import FetchError
from .get import Run, Source
from .lockfile import Lock, LockedFile
from .pypi import Pip

# Which certificates pip uses by itself on Debian; without them (package ca-certificates) https is not possible.
SYSTEM_CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")


def real_sources(lock: Lock, cache: Cache) -> dict[str, Source]:
    """pip is looked for when the first wheel is asked for, so a filled cache needs none."""
    apt, mutex = Apt(cache.work / "apt"), threading.Lock()
    found: list[Pip | FetchError] = []

    def pip(file: LockedFile, into: Path) -> tuple[Path, str]:
        with mutex:
            if not found:
                try:
                    found.append(find_pip(lock, cache, apt.fetch))
                except FetchError as error:
                    found.append(error)
        if isinstance(found[0], FetchError):
            raise found[0]
        return found[0].fetch(file, into)

    return {"pypi": pip, "debian": apt.fetch}


def find_pip(lock: Lock, cache: Cache, apt: Source) -> Pip:
    """This Python's pip, else Debian's python3-pip unpacked beside the artifacts, if the lock has it."""
    own = Pip()
    if own.works():
        return own
    hint = f"`{sys.executable} -m pip` does not work: install pip (Debian package python3-pip)"
    name = "pip-debian12" if sys.version_info < (3, 12) else "pip-debian13"
    if name not in lock.artifacts:
        raise FetchError(hint, final=True)
    try:
        unpacked, certificates = _helper(lock, cache, apt, name), None
        known = ("PIP_CERT", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE")
        if not SYSTEM_CERTIFICATES.exists() and not any(os.environ.get(key) for key in known):
            certificates = _helper(lock, cache, apt, "certificates") / "ca.pem"
    except FetchError as error:
        raise FetchError(f"{hint}; fetching Debian's failed: {error}", final=True) from None
    found = Pip(unpacked, certificates)
    if not found.works():
        raise FetchError(f"{hint}; Debian's, unpacked in {unpacked}, does not work either", final=True)
    return found


def _helper(lock: Lock, cache: Cache, apt: Source, name: str) -> Path:
    """An artifact that the tool itself needs, made while the cache is already held for those asked for."""
    artifact = lock.artifacts[name]
    if cache.has(lock, artifact):
        return cache.folder(lock, artifact)
    return Run(lock, cache, {"debian": apt}).make(artifact)
