# SPDX-License-Identifier: Apache-2.0
"""Where the artifacts lie: a cache of the fetch tool, or plain folders that hold unpacked wheels.

An artifact `cudart-12.9` is the folder of that name, or the one folder inside it (the cache puts
finished artifacts below their digest). Everything else about an artifact is read from the artifact itself.
"""

import json
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from .libraries import LibraryRow

_FETCH = Path(__file__).resolve().parents[3] / "tools/fetch/fetch.py"
sys.path.insert(0, str(_FETCH.parent))
from artifacts import lockfile  # noqa: E402

_OPTIONAL = ("nvjitlink",)  # CUDA 11 has none
# pip takes each name of a tag only for itself: manylinux2014 does not stand for manylinux_2_17.
_WHEEL_TAGS = (*(f"manylinux_2_{minor}" for minor in range(39, 4, -1)), "manylinux2014", "manylinux2010", "manylinux1")


class SourceError(RuntimeError):
    """An artifact is missing or does not hold what its name says."""


@dataclass(frozen=True)
class Artifact:
    name: str
    version: str
    folder: Path

    def headers(self, row: LibraryRow) -> Path:
        """The folder in which the library's headers lie, as programs include them. The layout of a wheel may be any."""
        found = _single(self.folder, f"**/{row.headers[0]}")
        return found.parents[row.headers[0].count("/")]

    def library(self, pattern: str) -> Path:
        return _single(self.folder, f"**/{pattern}")

    @property
    def include_folders(self) -> list[Path]:
        return sorted(path for path in self.folder.glob("**/include") if "include" not in path.parent.parts)

    @property
    def library_folders(self) -> list[Path]:
        return sorted({path.parent for path in self.folder.glob("**/*.so*")})

    def driver(self, file: str) -> Path:
        return _single(self.folder, f"**/{file}")

    @property
    def package(self) -> str:
        """Name and version of the wheel: what its metadata says, or its file's name where the cache
        does not keep metadata; "" for anything else."""
        for metadata in sorted(self.folder.glob("*.dist-info/METADATA")):
            text = metadata.read_text(errors="replace")
            name = re.search(r"^Name: (\S+)", text, re.M)
            version = re.search(r"^Version: (\S+)", text, re.M)
            if name and version:
                return f"{name[1]} {version[1]}"
        return _stamped_package(self.folder)


def _stamped_package(folder: Path) -> str:
    stamp = folder / ".anycuda-piece.json"  # of the cache
    files = json.loads(stamp.read_text())["files"] if stamp.is_file() else {}
    match = re.match(r"(\w+)-([\d.]+)-.*\.whl$", next(iter(files), ""))
    return f"{match[1].replace('_', '-')} {match[2]}" if match else ""


def _single(folder: Path, pattern: str) -> Path:
    """The file nearest to the top: NVTX has a second header of the same name in a folder of its headers."""
    found = sorted(folder.glob(pattern))
    found = [path for path in found if len(path.parts) == min(len(other.parts) for other in found)]
    if len(found) != 1:
        what = "nothing" if not found else ", ".join(str(path.relative_to(folder)) for path in found)
        raise SourceError(f"{folder}: expected one {pattern}, found {what}")
    return found[0]


def find(cache: Path, kind: str) -> list[Artifact]:
    """Artifacts of one kind (`cudart`, `driver`) in the cache, oldest first."""
    artifacts = []
    for path in sorted(cache.glob(f"{kind}-*")):
        match = re.fullmatch(rf"{kind}-(\d+(?:\.\d+)*)", path.name)
        if match and path.is_dir():
            artifacts.append(Artifact(path.name, match[1], _unpacked(cache, path)))
    return sorted(artifacts, key=lambda artifact: [int(n) for n in artifact.version.split(".")])


def beside(places: list[Path], row: LibraryRow, version: str) -> list[Artifact]:
    """The artifacts that the row's headers and library need, of this release or of the one that the row names."""
    found = []
    for name in row.beside:
        kind, _, release = name.partition("-")
        wanted = release or ".".join(version.split(".")[:2])
        artifact = next((a for place in places for a in find(place, kind) if a.version == wanted), None)
        if artifact is None and kind not in _OPTIONAL:
            raise SourceError(
                f"{row.name} {version} needs the artifact {kind}-{wanted}, which {places[-1]} lacks: fetch it with "
                "--fetch"
            )
        if artifact is not None:
            found.append(artifact)
    return found


def versions(cache: Path, row: LibraryRow, fetch: bool) -> list[str]:
    """The releases of a library: those of the recipe, or those that the cache has."""
    names = _recipe(row) if fetch else [artifact.version for artifact in find(cache, row.source)]
    return sorted(names, key=lambda version: [int(number) for number in version.split(".")])


def missing(cache: Path, row: LibraryRow) -> list[str]:
    """The releases of the recipe that the cache lacks."""
    here = versions(cache, row, False)
    return [version for version in _recipe(row) if version not in here]


def _recipe(row: LibraryRow) -> list[str]:
    return list(row.releases) or _locked(row.source)


def _locked(kind: str) -> list[str]:
    """The releases that the fetch tool's recipe has of a kind of artifact."""
    names = lockfile.load(_FETCH.with_name("lock.json")).artifacts
    found = (re.fullmatch(rf"{kind}-(\d+(?:\.\d+)*)", name) for name in names)
    return [match[1] for match in found if match]


@contextmanager
def artifact(
    cache: Path, row: LibraryRow, version: str, fetch: bool
) -> Iterator[tuple[Artifact, list[Artifact]]]:
    """The artifact of one release, and those beside it. With `fetch` what the cache lacks is fetched, and deleted
    again when the caller has done with it."""
    if not fetch:
        yield _release(cache, row, version), beside([cache], row, version)
        return
    with tempfile.TemporaryDirectory(dir=cache, prefix="harvest-") as temporary:
        fetched = Path(temporary)
        lacking = _lacking(cache, row, version)
        if lacking:
            _fetch_into(fetched, row, lacking)
        places = [fetched, cache]
        own = fetched if f"{row.source}-{version}" in lacking else cache
        yield _release(own, row, version), beside(places, row, version)


def _release(cache: Path, row: LibraryRow, version: str) -> Artifact:
    return next(artifact for artifact in find(cache, row.source) if artifact.version == version)


def _lacking(cache: Path, row: LibraryRow, version: str) -> list[str]:
    """The artifacts of the recipe that a release needs, its own and those beside it, and that the cache lacks."""
    minor = ".".join(version.split(".")[:2])
    wanted = [f"{row.source}-{version}", *(name if "-" in name else f"{name}-{minor}" for name in row.beside)]
    lacking = []
    for name in wanted:
        kind, _, release = name.partition("-")
        known = _recipe(row) if kind == row.source else _locked(kind)
        if release in known and not any(source.version == release for source in find(cache, kind)):
            lacking.append(name)
    return lacking


def _fetch_into(cache: Path, row: LibraryRow, names: list[str]) -> None:
    own = [name for name in names if row.releases and name.startswith(f"{row.source}-")]
    for name in own:
        _download(cache / name, row.releases[name.removeprefix(f"{row.source}-")])
    names = [name for name in names if name not in own]
    if not names:
        return
    done = subprocess.run([sys.executable, str(_FETCH), "--cache", str(cache), "get", "--strict", *names],
                          stdout=subprocess.DEVNULL)
    if done.returncode:
        raise SourceError(f"fetching {', '.join(names)} failed: the fetch tool's message is above")


def _download(folder: Path, requirement: str) -> None:
    """The unpacked wheel of a line of a requirements file."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as name:
        lines = Path(name) / "requirements.txt"
        lines.write_text(requirement + "\n", encoding="utf-8")
        platforms = [word for tag in _WHEEL_TAGS for word in ("--platform", f"{tag}_x86_64")]
        done = subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
                               "--no-deps", "--only-binary", ":all:", *platforms, "-d", name, "-r", lines])
        wheels = list(Path(name).glob("*.whl"))
        if done.returncode or len(wheels) != 1:
            raise SourceError(f"pip could not download {requirement.split()[0]}: its message is above")
        with zipfile.ZipFile(wheels[0]) as wheel:
            wheel.extractall(folder)


def clang_folder(cache: Path) -> Path | None:
    """The folder to put on Python's path for `import clang`, if the cache has libclang."""
    if not (cache / "libclang").is_dir():
        return None
    found = sorted((cache / "libclang").glob("**/clang/cindex.py"))
    return found[0].parents[1] if found else None


def _unpacked(cache: Path, path: Path) -> Path:
    """A folder of the cache has one folder below it, or several of which one is in use, named by digests."""
    inside = [entry for entry in path.iterdir() if entry.is_dir()]
    if not any(re.fullmatch("[0-9a-f]{8,}", entry.name) for entry in inside):
        return path
    if len(inside) == 1:
        return inside[0]
    done = subprocess.run(
        [sys.executable, str(_FETCH), "--cache", str(cache), "path", path.name],
        capture_output=True,
        text=True,
    )
    if done.returncode or not done.stdout.strip():
        raise SourceError(
            f"{path} holds {len(inside)} folders, and the fetch tool does not know the one "
            f"in use: {done.stderr.strip()}"
        )
    return Path(done.stdout.strip())
