"""Where the artifacts lie: a cache of the fetch tool, or plain folders that hold unpacked wheels.

An artifact `cudart-12.9` is the folder of that name, or the one folder inside it (the cache puts
finished artifacts below their digest). Everything else about an artifact is read from the artifact itself.
"""

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_FETCH = Path(__file__).resolve().parents[3] / "tools/fetch/fetch.py"
_LIBRARY = {"cudart": "libcudart.so.*", "nvrtc": "libnvrtc.so.*", "nvjitlink": "libnvJitLink.so.*"}


class SourceError(RuntimeError):
    """An artifact is missing or does not hold what its name says."""


@dataclass(frozen=True)
class Artifact:
    name: str
    version: str
    folder: Path

    @property
    def headers(self) -> Path:
        return _single(self.folder, "nvidia/*/include")

    def library(self, kind: str) -> Path:
        pattern = _LIBRARY[kind]
        return _single(self.folder, f"nvidia/*/lib/{pattern}")

    @property
    def driver(self) -> Path:
        return _single(self.folder, "**/libcuda.so.1")

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
    found = sorted(path for path in folder.glob(pattern) if "__init__" not in path.name)
    if len(found) != 1:
        what = "nothing" if not found else ", ".join(path.name for path in found)
        raise SourceError(f"{folder}: looked for one {pattern}, found {what}")
    return found[0]


def find(cache: Path, kind: str) -> list[Artifact]:
    """Artifacts of one kind (`cudart`, `driver`) in the cache, oldest first."""
    artifacts = []
    for path in sorted(cache.glob(f"{kind}-*")):
        match = re.fullmatch(rf"{kind}-(\d+(?:\.\d+)*)", path.name)
        if match and path.is_dir():
            artifacts.append(Artifact(path.name, match[1], _unpacked(cache, path)))
    return sorted(artifacts, key=lambda artifact: [int(n) for n in artifact.version.split(".")])


def clang_folder(cache: Path) -> Path | None:
    """The folder to put on Python's path for `import clang`, if the cache has libclang."""
    if not (cache / "libclang").is_dir():
        return None
    found = sorted((cache / "libclang").glob("**/clang/cindex.py"))
    return found[0].parents[1] if found else None


def _unpacked(cache: Path, path: Path) -> Path:
    if (path / "nvidia").is_dir() or list(path.glob("libcuda.so*")):
        return path
    inside = [entry for entry in path.iterdir() if entry.is_dir()]
    if len(inside) == 1:
        return inside[0]
    done = subprocess.run(
        [sys.executable, str(_FETCH), "--cache", str(cache), "path", path.name],
        capture_output=True,
        text=True,
    )
    if done.returncode or not done.stdout.strip():
        raise SourceError(
            f"{path} holds {len(inside)} folders and the fetch tool does not say which "
            f"is meant: {done.stderr.strip()}"
        )
    return Path(done.stdout.strip())
