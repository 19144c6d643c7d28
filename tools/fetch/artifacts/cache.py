"""The cache folder: finished artifacts, half-done work, and processes kept out of each other's way.

<cache>/<artifact>/<digest>/   a finished artifact; it appears by one rename, so it is whole or not there
<cache>/.work/              downloads and half-unpacked artifacts of the one process that holds .lock
<cache>/.lock               held (flock) by the process that fetches; reading needs no lock
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
from .lockfile import Lock, LockedFile, Artifact

STAMP = ".anycuda-piece.json"


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

    def download_path(self, sha256: str, name: str) -> Path:
        return self.work / "files" / f"{sha256[:16]}-{name}"

    def replacement_path(self, file: LockedFile) -> Path:
        """Holds the version of a download that came in place of the locked one."""
        return self.download_path(file.sha256, f"{file.name}.version")

    def replacement(self, file: LockedFile) -> str:
        """The version that came in place of the locked one, "" if that one came."""
        note = self.replacement_path(file)
        return note.read_text(encoding="utf-8") if note.is_file() else ""

    def publish(self, lock: Lock, artifact: Artifact, made: Path) -> None:
        """Stamps the folder `made` and gives it its place by one rename."""
        files = lock.files_of(artifact)
        newer = {file.name: self.replacement(file) for file in files if self.replacement(file)}
        stamp = {
            "piece": artifact.name,
            "files": {file.name: file.sha256 for file in files if file.name not in newer},
        } | ({"newer": newer} if newer else {})
        (made / STAMP).write_text(json.dumps(stamp, indent=1) + "\n", encoding="utf-8")
        final = self.folder(lock, artifact)
        final.parent.mkdir(parents=True, exist_ok=True)
        if final.exists() and not (final / STAMP).is_file():
            shutil.rmtree(final)  # somebody's hand deleted the stamp: not ours to trust
        os.rename(made, final)

    @contextlib.contextmanager
    def exclusive(self, waiting: Callable[[], None]) -> Iterator[None]:
        """Holds the cache for fetching; `waiting` is called once if another process has it now.

        What an interrupted process left under .work is dropped here, where nobody else can be using
        it; whole downloads (their names carry the hash, and they are checked again) are kept.
        """
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            handle = open(self.root / ".lock", "w", encoding="utf-8")
        except OSError as error:
            raise ArtifactError(
                f"cannot write into the cache {self.root}: {error.strerror}; "
                "set ANYCUDA_CACHE to a folder of yours"
            ) from None
        with handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                waiting()
                fcntl.flock(handle, fcntl.LOCK_EX)
            self._drop_leftovers()
            (self.work / "files").mkdir(parents=True, exist_ok=True)
            yield

    def clean(self) -> None:
        """Drops everything half-done; only for the holder of the lock."""
        shutil.rmtree(self.work, ignore_errors=True)

    def _drop_leftovers(self) -> None:
        if not self.work.is_dir():
            return
        for entry in self.work.iterdir():
            if entry.name != "files":
                shutil.rmtree(entry, ignore_errors=True)
