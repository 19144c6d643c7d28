# SPDX-License-Identifier: Apache-2.0
"""The common parts of the tests of tools/fetch/: small archives, a lock made of them, sources that need no network.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import stat
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "fetch"))

from artifacts import get as get_module  # noqa: E402
from artifacts.cache import Cache  # noqa: E402
from artifacts.errors import FetchError  # noqa: E402
from artifacts.lockfile import Artifact, Lock, LockedFile, Part  # noqa: E402


def wheel_bytes(members: dict[str, bytes], links: dict[str, str] | None = None) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as wheel:
        for name, content in members.items():
            wheel.writestr(name, content)
        for name, target in (links or {}).items():
            info = zipfile.ZipInfo(name)
            info.external_attr = (stat.S_IFLNK | 0o777) << 16
            wheel.writestr(info, target)
    return out.getvalue()


def locked(name: str, content: bytes, spec: str = "", version: str = "1") -> LockedFile:
    """By default a wheel of the name's stem, without machine code."""
    spec = spec or f"{Path(name).stem}=={version}"
    return LockedFile(spec, name, version, "all", hashlib.sha256(content).hexdigest(), len(content))


def recipe_text(lock: Lock) -> str:
    """A recipe.toml that says what the lock's artifacts and sets are."""
    lines = []
    for artifact in lock.artifacts.values():
        lines += [f"[artifact.{artifact.name}]", f'arch = "{artifact.arch}"']
        for part in artifact.parts:
            take = ", ".join(f'"{pattern}" = "{target}"' for pattern, target in part.take.items())
            spec = lock.files[part.file].spec if part.file in lock.files else part.file
            lines += [f"[[artifact.{artifact.name}.parts]]", f'file = "{spec}"', f"take = {{ {take} }}",
                      f"drop = {json.dumps(part.drop)}"]  # fmt: skip
    lines += ["[sets]", *(f"{name} = {json.dumps(members)}" for name, members in lock.sets.items())]
    return "\n".join(lines) + "\n"


class Store:
    """A source of files in memory; counts its requests, and fails the first `failures` of them."""

    def __init__(self, contents: dict[str, bytes], failures: int = 0, versions: dict[str, str] | None = None):
        self.contents = contents
        self.versions = versions or {}  # of the files that come in another version than the locked one
        self.failures = failures
        self.asked: list[str] = []

    def __call__(self, file: LockedFile, into: Path) -> tuple[Path, str]:
        self.asked.append(file.name)
        if self.failures:
            self.failures -= 1
            raise FetchError("the line is broken")
        path = into / file.name
        path.write_bytes(self.contents[file.name])
        return path, self.versions.get(file.name, file.version)


def no_source(file: LockedFile, into: Path) -> tuple[Path, str]:
    raise AssertionError(f"{file.name} was asked for although nothing had to be fetched")


class CacheCase(unittest.TestCase):
    """A test with an empty cache and a lock of two artifacts in one wheel each."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = Path(folder.name)
        self.cache = Cache(self.top / "a path with blanks" / ("long" * 50) / "cache")
        self.contents = {
            "one.whl": wheel_bytes(
                {"nvidia/lib/libone.so": b"one", "nvidia/lib/libone.a": b"static"}
            ),
            "two.whl": wheel_bytes(
                {"nvidia/bin/two": b"#!/bin/sh\n", "nvidia/lib/libtwo.so": b"two"}
            ),
        }
        self.lock = self.lock_of(self.contents)
        self.messages = io.StringIO()
        self.slept: list[float] = []

    def lock_of(self, contents: dict[str, bytes]) -> Lock:
        take, drop = {"nvidia/*": "nvidia/"}, ("*.a",)
        artifacts = {
            name.removesuffix(".whl"): Artifact(
                name.removesuffix(".whl"), "all", (Part(name, take, drop),)
            )
            for name in contents
        }
        files = {name: locked(name, content) for name, content in contents.items()}
        return Lock(files, artifacts, {"both": tuple(artifacts)})

    def get(self, store, names: list[str] | None = None):
        """Messages go to self.messages; pauses are noted."""
        artifacts = self.lock.expand(names or ["both"])
        pauses = mock.patch.object(get_module, "pause", self.slept.append)
        with pauses, contextlib.redirect_stderr(self.messages):
            return get_module.get(self.lock, artifacts, self.cache, {"pypi": store})

    def published(self) -> list[str]:
        """Finished artifacts in the cache."""
        return sorted(
            path.parent.parent.name for path in self.cache.root.glob("*/*/.anycuda-piece.json")
        )


class ToolsOnPath:
    """PATH with only the given programs, each a small shell script."""

    def __init__(self, folder: Path, scripts: dict[str, str]):
        folder.mkdir(exist_ok=True)
        for name, body in scripts.items():
            (folder / name).write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
            (folder / name).chmod(0o755)
        self.environment = {"PATH": str(folder)}

    def patch(self):
        return mock.patch.dict(os.environ, self.environment)
