# SPDX-License-Identifier: Apache-2.0
"""The work: find what is missing; download, check, unpack and publish artifacts, several side by side."""

from __future__ import annotations

import hashlib
import platform
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from . import unpack
from .cache import Cache
from .errors import FetchError
from .lockfile import Artifact, Lock, LockedFile, order

WORKERS = 4
TRIES = 3  # of a file: before 25.1, pip itself does not try again when a connection breaks within one
GIVE_UP_AFTER = 4  # files of one source failed before any came: the source is out of reach, the rest is not tried

# Brings the locked file into the (empty) folder: its path there and its version, the locked one or, of a Debian
# package, a newer one. Raises FetchError.
Source = Callable[[LockedFile, Path], tuple[Path, str]]


def say(text: str) -> None:
    """Progress goes to stderr, so that stdout stays for the result."""
    print(f"anycuda artifacts: {text}", file=sys.stderr, flush=True)


def megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size < 100e6 else f"{size / 1e6:.0f} MB"


@dataclass
class Result:
    """Artifact name -> folder, or why it cannot be fetched."""

    folders: dict[str, Path]
    missing: dict[str, str]


def get(lock: Lock, artifacts: list[Artifact], cache: Cache, sources: dict[str, Source], label: str = "") -> Result:
    """Gets the artifacts into the cache; those already there cost a look, no lock and no network."""
    missing = {}
    if all(cache.has(lock, artifact) for artifact in artifacts):
        say(f"all {len(artifacts)} artifacts{label} are in {cache.root}")
    else:
        with cache.exclusive(say):
            todo = [artifact for artifact in artifacts if not cache.has(lock, artifact)]
            missing = Run(lock, cache, sources).get(todo)
    here = [artifact for artifact in artifacts if cache.has(lock, artifact)]
    return Result({artifact.name: cache.folder(lock, artifact) for artifact in here}, missing)


class Run:
    """One run that has something to do, while the cache is held."""

    def __init__(self, lock: Lock, cache: Cache, sources: dict[str, Source]):
        self._lock, self._cache, self._sources = lock, cache, sources
        self._mutex = threading.Lock()
        self._came: set[str] = set()  # sources that have given a file
        self._failed: dict[str, list[str]] = {source: [] for source in sources}  # reasons

    def get(self, todo: list[Artifact]) -> dict[str, str]:
        """Artifact -> why it cannot be fetched."""
        missing = {artifact.name: _wrong_machine(artifact) for artifact in todo if _wrong_machine(artifact)}
        todo = [artifact for artifact in todo if artifact.name not in missing]
        total, got, ended = self._lock.size(todo), 0, 0

        def get_artifact(artifact: Artifact) -> None:
            nonlocal got, ended
            size = self._lock.size([artifact])
            try:
                self.make(artifact)
                note = f", {megabytes(size)}"
            except (FetchError, OSError) as error:
                missing[artifact.name], note, size = str(error), ": FAILED", 0
            with self._mutex:
                got, ended = got + size, ended + 1
                whole = f"{got / 1e6:.0f} of {total / 1e6:.0f} MB downloaded"
                say(f"[{ended}/{len(todo)}] {artifact.name}{note} ({whole})")

        if todo:
            say(f"{len(todo)} to fetch, {megabytes(total)}, into {self._cache.root}")
        with ThreadPoolExecutor(WORKERS) as pool:
            jobs = [pool.submit(get_artifact, artifact) for artifact in todo]
            try:
                for job in jobs:
                    job.result()
            except BaseException:  # such as Ctrl-C: what is not begun is left
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        return dict(sorted(missing.items(), key=lambda item: order(item[0])))

    def make(self, artifact: Artifact) -> Path:
        """Downloads and unpacks one artifact; its folder gets its name when it is whole."""
        with tempfile.TemporaryDirectory(prefix=f"{artifact.name}-", dir=self._cache.work) as work:
            archives, newer = {}, {}
            for file in self._lock.files_of(artifact):
                archives[file.name], version = self._download(file, Path(work))
                if version != file.version:
                    newer[file.name] = version
            made = Path(work) / "made"
            made.mkdir()
            unpack.make(artifact, archives, made)
            self._cache.publish(self._lock, artifact, made, newer)
        return self._cache.folder(self._lock, artifact)

    def _download(self, file: LockedFile, work: Path) -> tuple[Path, str]:
        with self._mutex:
            failed = self._failed[file.source]
            if len(failed) >= GIVE_UP_AFTER and file.source not in self._came:
                raise FetchError(f"not tried, since {GIVE_UP_AFTER} other files failed, the first with: {failed[0]}")
        attempt = 1
        while True:
            try:
                came = self._checked(file, Path(tempfile.mkdtemp(dir=work)))
                with self._mutex:
                    self._came.add(file.source)
                return came
            except FetchError as error:
                if error.final:  # a file that is not there says nothing about the others
                    raise
                if attempt == TRIES:
                    with self._mutex:
                        failed.append(str(error))
                    raise
            pause(4.0 ** (attempt - 1))
            attempt += 1

    def _checked(self, file: LockedFile, into: Path) -> tuple[Path, str]:
        """The locked version must have the locked hash. A newer version, which only apt brings, is one that apt has
        checked; what it must contain is checked when it is unpacked.
        """
        path, version = self._sources[file.source](file, into)
        if version != file.version:
            say(f"{file.package}: version {file.version} is locked and no longer in the archive; {version} is used")
        elif (found := sha256(path)) != file.sha256:
            raise FetchError(f"{file.name}: SHA-256 is {found}, lock.json has {file.sha256}; the file is not used")
        return path, version


def _wrong_machine(artifact: Artifact) -> str:
    machine = platform.machine()
    return "" if artifact.arch in ("all", machine) else f"locked for {artifact.arch} only, this machine is {machine}"


def pause(seconds: float) -> None:
    """A separate function, so that tests can replace time.sleep."""
    time.sleep(seconds)


def sha256(path: Path) -> str:
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
