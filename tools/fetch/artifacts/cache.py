# SPDX-License-Identifier: Apache-2.0
"""The cache folder: finished artifacts, half-done work, and processes kept out of each other's way.

<cache>/<artifact>/<digest>/   a finished artifact; it appears by one rename, so it is whole or not there
<cache>/.work/                 downloads and half-unpacked artifacts of the one process that holds .lock
<cache>/.lock                  held (flock) by the process that fetches; reading needs no lock
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from .errors import ArtifactError
from .lockfile import Artifact, Lock

STAMP = ".anycuda-piece.json"  # the name and its keys are in caches that exist


def default_root() -> Path:
    """$ANYCUDA_CACHE, else the user's cache folder."""
    own = os.environ.get("ANYCUDA_CACHE")
    if own:
        return Path(own).absolute()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "anycuda"


class Cache:
    def __init__(self, root: Path):
        self.root = root
        self.work = root / ".work"

    def folder(self, lock: Lock, artifact: Artifact) -> Path:
        return self.root / artifact.name / lock.digest(artifact)

    def has(self, lock: Lock, artifact: Artifact) -> bool:
        return (self.folder(lock, artifact) / STAMP).is_file()

    def publish(self, lock: Lock, artifact: Artifact, made: Path, newer: dict[str, str]) -> None:
        """Stamps the folder `made` and gives it its place by one rename. `newer`: file -> the version that came in
        place of the locked one.
        """
        hashes = {file.name: file.sha256 for file in lock.files_of(artifact) if file.name not in newer}
        stamp = {"piece": artifact.name, "files": hashes} | ({"newer": newer} if newer else {})
        (made / STAMP).write_text(json.dumps(stamp, indent=1) + "\n", encoding="utf-8")
        final = self.folder(lock, artifact)
        final.parent.mkdir(parents=True, exist_ok=True)
        if final.exists() and not (final / STAMP).is_file():
            shutil.rmtree(final)  # the stamp was deleted: the content cannot be trusted
        os.rename(made, final)

    @contextlib.contextmanager
    def exclusive(self, say: Callable[[str], None]) -> Iterator[None]:
        """Holds the cache for fetching, and reports when another process holds it now. Half-finished work is deleted,
        also that of a killed process: no other process can be using it.
        """
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            handle = open(self.root / ".lock", "w", encoding="utf-8")  # noqa: SIM115 (closed below)
        except OSError as error:
            raise ArtifactError(
                f"cannot write into the cache {self.root}: {error.strerror}; "
                "set ANYCUDA_CACHE to a folder that you can write"
            ) from None
        with handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                say("another process is fetching into the cache, waiting for it")
                fcntl.flock(handle, fcntl.LOCK_EX)
            shutil.rmtree(self.work, ignore_errors=True)
            self.work.mkdir()
            try:
                yield
            finally:
                shutil.rmtree(self.work, ignore_errors=True)
