"""The real sources of files: pip for wheels, apt for Debian packages."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

from .cache import Cache
from .debian import Apt
from .errors import FetchError
from .get import Source, fetch_file, make_artifact
from .lockfile import Fetched, Lock, LockedFile
from .pypi import Pip

# Which certificates pip uses by itself on Debian; without them (package ca-certificates) https is
# not possible.
SYSTEM_CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")


def real_sources(lock: Lock, cache: Cache) -> dict[str, Source]:
    """pip is looked for when the first wheel is asked for, so a filled cache needs none."""
    apt_mutex, pip_mutex = threading.Lock(), threading.Lock()
    apt_get = Apt(cache.work / "apt", "x86_64")
    found: list[Pip | FetchError] = []

    def apt(file: LockedFile, into: Path) -> Fetched:
        with apt_mutex:  # apt-get locks its folders: one at a time
            return apt_get.fetch(file, into)

    def pip(file: LockedFile, into: Path) -> Fetched:
        with pip_mutex:
            if not found:
                try:
                    found.append(find_pip(lock, cache, apt, bootstrap=True))
                except FetchError as error:
                    found.append(error)
        if isinstance(found[0], FetchError):
            raise found[0]
        return found[0].fetch(file, into)

    return {"pypi": pip, "debian": apt}


def find_pip(lock: Lock, cache: Cache, apt: Source, bootstrap: bool) -> Pip:
    """This Python's pip, else (if `bootstrap`) Debian's python3-pip unpacked beside the artifacts."""
    own = Pip()
    if own.works():
        return own
    advice = f"`{sys.executable} -m pip` does not work: install pip (Debian package python3-pip)"
    if not bootstrap:
        raise FetchError(advice, final=True)
    name = "pip-debian12" if sys.version_info < (3, 12) else "pip-debian13"
    try:
        unpacked = _helper(lock, cache, apt, name)
        certificates = None
        known = ("PIP_CERT", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE")
        if not SYSTEM_CERTIFICATES.exists() and not any(os.environ.get(key) for key in known):
            certificates = _helper(lock, cache, apt, "certificates") / "ca.pem"
    except FetchError as error:
        raise FetchError(
            f"{advice}; taking it from Debian failed: {error.reason}", final=True
        ) from None
    found = Pip(unpacked, certificates)
    if not found.works():
        raise FetchError(
            f"{advice}; Debian's, unpacked in {unpacked}, does not work either", final=True
        )
    return found


def _helper(lock: Lock, cache: Cache, apt: Source, name: str) -> Path:
    """An artifact that the tool itself needs, made while the cache is already held for the artifacts asked
    for.
    """
    artifact = lock.artifacts[name]
    if not cache.has(lock, artifact):
        for file in lock.files_of(artifact):
            fetch_file(file, apt, cache)
        make_artifact(lock, artifact, cache)
    return cache.folder(lock, artifact)
