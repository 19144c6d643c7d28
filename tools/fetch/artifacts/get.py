"""The work: find what is missing, download side by side, check, unpack, publish."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

from . import unpack
from .cache import Cache
from .errors import FetchError
from .lockfile import Fetched, Lock, LockedFile, Artifact
from .progress import Progress

DOWNLOADS = 4
UNPACKERS = 2
TRIES = 3
# So many files of one source failing before any came means that the source is out of reach: the
# rest is not tried.
GIVE_UP_AFTER = 4

# Brings the locked file into the (empty) folder; raises FetchError.
Source = Callable[[LockedFile, Path], Fetched]


def pause(seconds: float) -> None:
    """A function of its own, so that tests can stand in for time.sleep."""
    time.sleep(seconds)


@dataclass
class Result:
    """Artifact name -> folder, or why it could not be had."""

    folders: dict[str, Path] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)


def get(
    lock: Lock,
    artifacts: list[Artifact],
    cache: Cache,
    sources: dict[str, Source],
    progress: Progress,
    label: str = "",
    sleep: Callable[[float], None] = pause,
) -> Result:
    """Gets the artifacts into the cache; those already there cost a look, no lock and no network."""
    if all(cache.has(lock, artifact) for artifact in artifacts):
        progress.say(f"all {len(artifacts)} artifacts{label} are in {cache.root}")
        return Result({artifact.name: cache.folder(lock, artifact) for artifact in artifacts})
    with cache.exclusive(
        lambda: progress.say("another process is fetching into the cache, waiting for it")
    ):
        return _Run(lock, artifacts, cache, sources, progress, sleep).result()


class _Run:
    """One run of `get` that has something to do."""

    def __init__(
        self,
        lock: Lock,
        artifacts: list[Artifact],
        cache: Cache,
        sources: dict[str, Source],
        progress: Progress,
        sleep: Callable[[float], None],
    ):
        self._lock = lock
        self._artifacts = artifacts
        self._cache = cache
        self._sources = sources
        self._progress = progress
        self._sleep = sleep
        self._mutex = threading.Lock()
        self._came: set[str] = set()  # sources that have given a file
        self._failed: dict[str, list[str]] = {}  # source -> reasons

    def result(self) -> Result:
        todo = [artifact for artifact in self._artifacts if not self._cache.has(self._lock, artifact)]
        reasons = {artifact.name: _wrong_machine(artifact) for artifact in todo}
        missing = {name: reason for name, reason in reasons.items() if reason}
        todo = [artifact for artifact in todo if artifact.name not in missing]
        if todo:
            missing |= self._fetch(todo)
        self._cache.clean()
        folders = {
            artifact.name: self._cache.folder(self._lock, artifact)
            for artifact in self._artifacts
            if self._cache.has(self._lock, artifact)
        }
        return Result(folders, missing)

    def _fetch(self, todo: list[Artifact]) -> dict[str, str]:
        files = {file.name: file for artifact in todo for file in self._lock.files_of(artifact)}
        self._progress.start(
            len(todo), sum(file.size for file in files.values()), str(self._cache.root)
        )
        waiting = {artifact.name: {part.file for part in artifact.parts} for artifact in todo}
        users = {
            name: {artifact.name for artifact in todo if name in waiting[artifact.name]} for name in files
        }
        missing: dict[str, str] = {}
        with ThreadPoolExecutor(DOWNLOADS) as downloads, ThreadPoolExecutor(UNPACKERS) as unpackers:
            unpacking: list[Future[None]] = []
            by_future = {downloads.submit(self._file, file): file for file in files.values()}
            for future in as_completed(by_future):
                file = by_future[future]
                error = future.exception()
                for artifact in todo:
                    if file.name not in waiting[artifact.name]:
                        continue
                    waiting[artifact.name].discard(file.name)
                    if error:
                        self._note(missing, artifact, error)
                        self._release(users, artifact)
                    elif not waiting[artifact.name] and artifact.name not in missing:
                        unpacking.append(unpackers.submit(self._artifact, artifact, users, missing))
            for done in unpacking:
                done.result()
        return missing

    def _note(self, missing: dict[str, str], artifact: Artifact, error: BaseException) -> None:
        if not isinstance(error, (FetchError, OSError)):
            raise error
        with self._mutex:
            first = artifact.name not in missing
            missing.setdefault(
                artifact.name, error.reason if isinstance(error, FetchError) else str(error)
            )
        if first:
            self._progress.artifact(artifact.name, 0, note=": NOT had")

    def _release(self, users: dict[str, set[str]], artifact: Artifact) -> None:
        """Deletes downloads that no artifact of this run needs: unpacked, they are ballast."""
        with self._mutex:
            for part in artifact.parts:
                users[part.file].discard(artifact.name)
                if not users[part.file]:
                    file = self._lock.files[part.file]
                    self._cache.download_path(file.sha256, file.name).unlink(missing_ok=True)

    def _artifact(self, artifact: Artifact, users: dict[str, set[str]], missing: dict[str, str]) -> None:
        try:
            make_artifact(self._lock, artifact, self._cache)
            self._progress.artifact(artifact.name, sum(file.size for file in self._lock.files_of(artifact)))
        except (FetchError, OSError) as error:
            self._note(missing, artifact, error)
        finally:
            self._release(users, artifact)

    def _file(self, file: LockedFile) -> None:
        with self._mutex:
            before = self._failed.get(file.source, [])
            if len(before) >= GIVE_UP_AFTER and file.source not in self._came:
                raise FetchError(
                    f"not tried after {GIVE_UP_AFTER} others failed, the first because: {before[0]}"
                )
        try:
            fetch_file(file, self._sources[file.source], self._cache, self._sleep)
        except FetchError as error:
            if not error.final:  # a file that is not there says nothing about the others
                with self._mutex:
                    self._failed.setdefault(file.source, []).append(error.reason)
            raise
        with self._mutex:
            self._came.add(file.source)
        newer = self._cache.replacement(file)
        if newer:
            self._progress.say(
                f"{file.package}: version {file.version} is locked and no longer in the archive; "
                f"{newer} is used"
            )
        self._progress.downloaded(file.size)


def fetch_file(
    file: LockedFile, source: Source, cache: Cache, sleep: Callable[[float], None] = pause
) -> None:
    """Brings one file under .work/files. The locked version must have the locked hash. A newer version, which only apt
    brings, is one that apt has checked; what it must contain is checked when it is unpacked.
    """
    final = cache.download_path(file.sha256, file.name)
    if final.is_file() and sha256(final) == file.sha256:
        return
    for attempt in range(1, TRIES + 1):
        try:
            with tempfile.TemporaryDirectory(prefix="download-", dir=cache.work) as folder:
                came = source(file, Path(folder))
                found = sha256(came.path)
                if came.version == file.version and found != file.sha256:
                    raise FetchError(
                        f"{file.name}: SHA-256 is {found}, the lock says {file.sha256}; "
                        "the file is not used"
                    )
                note = cache.replacement_path(file)
                note.unlink(missing_ok=True)
                if came.version != file.version:
                    note.write_text(came.version, encoding="utf-8")
                os.replace(came.path, final)
            return
        except FetchError as error:
            if error.final or attempt == TRIES:
                raise
            sleep(4.0 ** (attempt - 1))


def make_artifact(lock: Lock, artifact: Artifact, cache: Cache) -> Path:
    """Unpacks an artifact whose files are there, in a folder that gets its name when it is whole."""
    made = Path(tempfile.mkdtemp(prefix=f"{artifact.name}-", dir=cache.work))
    try:
        made.chmod(0o755)  # mkdtemp's folder is private, a published artifact is like any other folder
        archives = {
            file.name: cache.download_path(file.sha256, file.name) for file in lock.files_of(artifact)
        }
        unpack.make(lock, artifact, archives, made)
        cache.publish(lock, artifact, made)
    except (FetchError, OSError):
        shutil.rmtree(made, ignore_errors=True)
        raise
    return cache.folder(lock, artifact)


def sha256(path: Path) -> str:
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _wrong_machine(artifact: Artifact) -> str:
    machine = platform.machine()
    if artifact.arch in ("all", machine):
        return ""
    return f"locked for {artifact.arch} only, this machine is {machine}"
