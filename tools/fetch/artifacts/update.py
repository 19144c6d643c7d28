# SPDX-License-Identifier: Apache-2.0
"""`fetch.py lock`: what the recipe asks for -> lock.json, every file looked up at its source."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import lockfile
from .cache import Cache
from .debian import Apt
from .errors import ArtifactError
from .get import say, sha256
from .lockfile import ARCH, LockedFile
from .pypi import Pip
from .sources import find_pip


def update(path: Path, cache: Cache, keep: bool) -> None:
    """Writes the lock; with `keep` only what the present one lacks is looked up."""
    recipe = lockfile.read_recipe(path.with_name("recipe.toml"))
    try:
        old = lockfile.read_files(path)
    except ArtifactError as error:
        reason = error if path.exists() else f"{path} is missing"
        say(f"starts with an empty lock file, since {reason}")
        old = {}
    with cache.exclusive(say):
        apt = Apt(cache.work / "apt")
        pip = find_pip(lockfile.combine(recipe, old), cache, apt.fetch)

        def look_up(spec: str) -> LockedFile:
            found = apt.look_up(spec) if "/" in spec else wheel(pip, spec, cache.work)
            say(f"{found.name} {found.sha256}")
            return found

        files = resolve(lockfile.specs(recipe), old if keep else {}, look_up)
    problems = lockfile.check(lockfile.combine(recipe, files))
    if problems:
        raise ArtifactError("recipe.toml is inconsistent: " + "; ".join(problems))
    path.write_text(lockfile.dump(files.values()), encoding="utf-8")
    say(f"{len(files)} files in {path}")


def resolve(
    specs: list[str], old: dict[str, LockedFile], look_up: Callable[[str], LockedFile]
) -> dict[str, LockedFile]:
    """The locked file of each spec: from `old` where it has one; the others are looked up, four at a time. The first
    that cannot be found ends the work."""
    with ThreadPoolExecutor(4) as pool:
        found = pool.map(lambda spec: old.get(spec) or look_up(spec), specs)
        return {file.spec: file for file in found}


def wheel(pip: Pip, spec: str, work: Path) -> LockedFile:
    """Downloads the wheel to hash it."""
    requirement, _, machine = spec.partition(" ")
    arch = machine or ARCH
    with tempfile.TemporaryDirectory(dir=work) as folder:
        came = pip.download(requirement, arch, Path(folder))
        if came.name.endswith("-any.whl"):
            arch = "all"
        version = requirement.partition("==")[2]
        return LockedFile(spec, came.name, version, arch, sha256(came), came.stat().st_size)
