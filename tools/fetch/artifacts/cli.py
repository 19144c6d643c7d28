# SPDX-License-Identifier: Apache-2.0
"""The command line: get, list, path, lock."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from . import lockfile
from .cache import Cache, default_root
from .errors import ArtifactError, FetchError

if TYPE_CHECKING:
    from .get import Result

LOCK = Path(__file__).resolve().parent.parent / "lock.json"


def main(argv: list[str] | None = None) -> int:
    options = _parser().parse_args(argv)
    options.cache = Cache(options.cache.absolute() if options.cache else default_root())
    try:
        return int(options.run(options))
    except (ArtifactError, FetchError) as error:
        print(f"tools/fetch/fetch.py: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of stdout, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except KeyboardInterrupt:
        print("tools/fetch/fetch.py: interrupted; finished artifacts stay in the cache", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    about = "Fetches real CUDA artifacts and tools, checked by hash, into a cache for all builds."
    parser = argparse.ArgumentParser(prog="fetch.py", description=about)
    where = "the lock file, with recipe.toml beside it (default: beside this tool)"
    parser.add_argument("--lock", type=Path, default=LOCK, help=where)
    where = "the cache (default: $ANYCUDA_CACHE or the user's cache folder)"
    parser.add_argument("--cache", type=Path, help=where)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    get = commands.add_parser("get", help="fetch sets or artifacts that are not in the cache yet")
    get.add_argument("names", nargs="+", metavar="SET|ARTIFACT")
    get.add_argument("--format", choices=("text", "cmake"), default="text", help="form of the result on stdout")
    get.add_argument("--strict", action="store_true", help="exit with 1 if any artifact cannot be fetched")
    get.add_argument("--skip", action="append", default=[], metavar="ARTIFACT", help="leave this artifact of a set out")
    get.set_defaults(run=_get)
    show = commands.add_parser("list", help="sets and artifacts, and which are in the cache")
    show.set_defaults(run=_list)
    path = commands.add_parser("path", help="the folder of an artifact that is in the cache")
    path.add_argument("artifact")
    path.set_defaults(run=_path)
    lock = commands.add_parser("lock", help="look up all files of the recipe again and write the lock file")
    lock.add_argument("--keep", action="store_true", help="look up only the files that the lock file lacks")
    lock.set_defaults(run=_update)
    return parser


def _get(options: argparse.Namespace) -> int:
    from .get import get  # here, so that `path` stays quick
    from .sources import real_sources

    lock, cache = lockfile.load(options.lock), options.cache
    names = [artifact.name for artifact in lock.expand(options.names) if artifact.name not in options.skip]
    label = f" of {' '.join(options.names)}"
    result = get(lock, [lock.artifacts[name] for name in names], cache, real_sources(lock, cache), label)
    for line in _cmake(names, result, cache.root) if options.format == "cmake" else _text(names, result):
        print(line)
    if result.missing:
        print(f"anycuda artifacts: {len(result.missing)} of {len(names)} could not be fetched:", file=sys.stderr)
        for reason in dict.fromkeys(result.missing.values()):
            of_this = [name for name, why in result.missing.items() if why == reason]
            print(f"  {', '.join(of_this)}: {reason}", file=sys.stderr)
    return 1 if result.missing and options.strict else 0


def _text(names: list[str], result: Result) -> list[str]:
    return [f"{name} {result.folders.get(name, 'not available')}" for name in names]


def _cmake(names: list[str], result: Result, cache: Path) -> list[str]:
    """Code for a function to evaluate, in CMake's raw strings: nothing in them is expanded."""
    values = {}
    for name in names:
        values[f"ANYCUDA_ARTIFACT_{name}"] = result.folders.get(name, "")
        values[f"ANYCUDA_ARTIFACT_REASON_{name}"] = result.missing.get(name, "")
    values |= {"ANYCUDA_ARTIFACTS": ";".join(names), "ANYCUDA_CACHE_FOLDER": cache}
    raw = {name: str(value).replace("]===]", "") for name, value in values.items()}
    return [f"set({name} [===[{value}]===] PARENT_SCOPE)" for name, value in raw.items()]


def _list(options: argparse.Namespace) -> int:
    from .get import megabytes

    lock, cache = lockfile.load(options.lock), options.cache
    for name, members in lock.sets.items():
        size = lock.size([lock.artifacts[member] for member in members])
        print(f"set {name}: {len(members)} artifacts, {megabytes(size)} to download")
    for artifact in lock.artifacts.values():
        where = cache.folder(lock, artifact) if cache.has(lock, artifact) else "not in the cache"
        versions = ", ".join(f"{file.package} {file.version}" for file in lock.files_of(artifact))
        print(f"artifact {artifact.name} ({versions}): {where}")
    return 0


def _path(options: argparse.Namespace) -> int:
    print(folder_of(options.artifact, options.lock, options.cache))
    return 0


def folder_of(name: str, lock_file: Path = LOCK, cache: Cache | None = None) -> Path:
    """The folder of an artifact that is in the cache."""
    lock, cache = lockfile.load(lock_file), cache or Cache(default_root())
    artifact, *others = lock.expand([name])
    if others:
        raise ArtifactError(f"'{name}' is a set; name one artifact")
    if not cache.has(lock, artifact):
        how = f"`python3 tools/fetch/fetch.py get {artifact.name}`"
        raise ArtifactError(f"{artifact.name} is not in {cache.root}: run {how}")
    return cache.folder(lock, artifact)


def _update(options: argparse.Namespace) -> int:
    from .update import update

    update(options.lock, options.cache, options.keep)
    return 0
