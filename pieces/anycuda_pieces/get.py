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
from .lockfile import Fetched, Lock, LockedFile, Piece
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
    """Piece name -> folder, or why it could not be had."""

    folders: dict[str, Path] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)


def get(
    lock: Lock,
    pieces: list[Piece],
    cache: Cache,
    sources: dict[str, Source],
    progress: Progress,
    label: str = "",
    sleep: Callable[[float], None] = pause,
) -> Result:
    """Gets the pieces into the cache; those already there cost a look, no lock and no network."""
    if all(cache.has(lock, piece) for piece in pieces):
        progress.say(f"all {len(pieces)} pieces{label} are in {cache.root}")
        return Result({piece.name: cache.folder(lock, piece) for piece in pieces})
    with cache.exclusive(
        lambda: progress.say("another process is fetching into the cache, waiting for it")
    ):
        return _Run(lock, pieces, cache, sources, progress, sleep).result()


class _Run:
    """One run of `get` that has something to do."""

    def __init__(
        self,
        lock: Lock,
        pieces: list[Piece],
        cache: Cache,
        sources: dict[str, Source],
        progress: Progress,
        sleep: Callable[[float], None],
    ):
        self._lock = lock
        self._pieces = pieces
        self._cache = cache
        self._sources = sources
        self._progress = progress
        self._sleep = sleep
        self._mutex = threading.Lock()
        self._came: set[str] = set()  # sources that have given a file
        self._failed: dict[str, list[str]] = {}  # source -> reasons

    def result(self) -> Result:
        todo = [piece for piece in self._pieces if not self._cache.has(self._lock, piece)]
        reasons = {piece.name: _wrong_machine(piece) for piece in todo}
        missing = {name: reason for name, reason in reasons.items() if reason}
        todo = [piece for piece in todo if piece.name not in missing]
        if todo:
            missing |= self._fetch(todo)
        self._cache.clean()
        folders = {
            piece.name: self._cache.folder(self._lock, piece)
            for piece in self._pieces
            if self._cache.has(self._lock, piece)
        }
        return Result(folders, missing)

    def _fetch(self, todo: list[Piece]) -> dict[str, str]:
        files = {file.name: file for piece in todo for file in self._lock.files_of(piece)}
        self._progress.start(
            len(todo), sum(file.size for file in files.values()), str(self._cache.root)
        )
        waiting = {piece.name: {part.file for part in piece.parts} for piece in todo}
        users = {
            name: {piece.name for piece in todo if name in waiting[piece.name]} for name in files
        }
        missing: dict[str, str] = {}
        with ThreadPoolExecutor(DOWNLOADS) as downloads, ThreadPoolExecutor(UNPACKERS) as unpackers:
            unpacking: list[Future[None]] = []
            by_future = {downloads.submit(self._file, file): file for file in files.values()}
            for future in as_completed(by_future):
                file = by_future[future]
                error = future.exception()
                for piece in todo:
                    if file.name not in waiting[piece.name]:
                        continue
                    waiting[piece.name].discard(file.name)
                    if error:
                        self._note(missing, piece, error)
                        self._release(users, piece)
                    elif not waiting[piece.name] and piece.name not in missing:
                        unpacking.append(unpackers.submit(self._piece, piece, users, missing))
            for done in unpacking:
                done.result()
        return missing

    def _note(self, missing: dict[str, str], piece: Piece, error: BaseException) -> None:
        if not isinstance(error, (FetchError, OSError)):
            raise error
        with self._mutex:
            first = piece.name not in missing
            missing.setdefault(
                piece.name, error.reason if isinstance(error, FetchError) else str(error)
            )
        if first:
            self._progress.piece(piece.name, 0, note=": NOT had")

    def _release(self, users: dict[str, set[str]], piece: Piece) -> None:
        """Deletes downloads that no piece of this run needs: unpacked, they are ballast."""
        with self._mutex:
            for part in piece.parts:
                users[part.file].discard(piece.name)
                if not users[part.file]:
                    file = self._lock.files[part.file]
                    self._cache.download_path(file.sha256, file.name).unlink(missing_ok=True)

    def _piece(self, piece: Piece, users: dict[str, set[str]], missing: dict[str, str]) -> None:
        try:
            make_piece(self._lock, piece, self._cache)
            self._progress.piece(piece.name, sum(file.size for file in self._lock.files_of(piece)))
        except (FetchError, OSError) as error:
            self._note(missing, piece, error)
        finally:
            self._release(users, piece)

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


def make_piece(lock: Lock, piece: Piece, cache: Cache) -> Path:
    """Unpacks a piece whose files are there, in a folder that gets its name when it is whole."""
    made = Path(tempfile.mkdtemp(prefix=f"{piece.name}-", dir=cache.work))
    try:
        made.chmod(0o755)  # mkdtemp's folder is private, a published piece is like any other folder
        archives = {
            file.name: cache.download_path(file.sha256, file.name) for file in lock.files_of(piece)
        }
        unpack.make(lock, piece, archives, made)
        cache.publish(lock, piece, made)
    except (FetchError, OSError):
        shutil.rmtree(made, ignore_errors=True)
        raise
    return cache.folder(lock, piece)


def sha256(path: Path) -> str:
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _wrong_machine(piece: Piece) -> str:
    machine = platform.machine()
    if piece.arch in ("all", machine):
        return ""
    return f"locked for {piece.arch} only, this machine is {machine}"
