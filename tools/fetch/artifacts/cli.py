"""The command line: get, list, path, lock."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from . import lockfile
from .cache import Cache, default_root
from .errors import FetchError, ArtifactError
from .lockfile import Lock, Artifact
from .progress import Progress, megabytes

if TYPE_CHECKING:
    from .get import Result

LOCK_PATH = Path(__file__).resolve().parent.parent / "lock.json"


def main(argv: list[str] | None = None) -> int:
    options = _parser().parse_args(argv)
    try:
        return options.run(options)
    except (ArtifactError, FetchError) as error:
        print(f"tools/fetch/fetch.py: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of stdout, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except KeyboardInterrupt:
        print("tools/fetch/fetch.py: interrupted; what is finished stays in the cache", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="fetch.py",
        description="Real CUDA artifacts and tools, checked by hash, into a cache for all builds.",
    )
    parser.add_argument(
        "--lock", type=Path, default=LOCK_PATH, help="the lock file (default: beside this tool)"
    )
    parser.add_argument(
        "--cache", type=Path, help="the cache (default: $ANYCUDA_CACHE or the user's cache folder)"
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    get = commands.add_parser("get", help="fetch sets or artifacts that are not in the cache yet")
    get.add_argument("names", nargs="+", metavar="SET|ARTIFACT")
    get.add_argument(
        "--format", choices=("text", "cmake"), default="text", help="form of the result on stdout"
    )
    get.add_argument("--strict", action="store_true", help="exit with 1 if any artifact cannot be had")
    get.add_argument(
        "--skip", action="append", default=[], metavar="ARTIFACT", help="leave this artifact of a set out"
    )
    get.set_defaults(run=_get)
    commands.add_parser("list", help="sets, artifacts and what is in the cache").set_defaults(
        run=_list
    )
    path = commands.add_parser("path", help="the folder of an artifact that is in the cache")
    path.add_argument("artifact")
    path.set_defaults(run=_path)
    lock = commands.add_parser(
        "lock", help="look up all wanted files again and write the lock file"
    )
    lock.add_argument(
        "--keep", action="store_true", help="look up only what the present lock file lacks"
    )
    lock.set_defaults(run=_write_lock)
    return parser


def _cache(options: argparse.Namespace) -> Cache:
    return Cache(options.cache.absolute() if options.cache else default_root())


def _get(options: argparse.Namespace) -> int:
    from .get import get  # here, so that `path` and `list` stay quick
    from .sources import real_sources

    lock, cache = lockfile.load(options.lock), _cache(options)
    artifacts = [artifact for artifact in lock.expand(options.names) if artifact.name not in options.skip]
    label = f" of {' '.join(options.names)}"
    result = get(lock, artifacts, cache, real_sources(lock, cache), Progress(), label)
    for line in render(artifacts, result, options.format, cache.root):
        print(line)
    if result.missing:
        print(
            f"anycuda artifacts: {len(result.missing)} of {len(artifacts)} could not be had:",
            file=sys.stderr,
        )
        for reason in dict.fromkeys(result.missing.values()):
            names = [name for name, why in result.missing.items() if why == reason]
            print(f"  {', '.join(names)}: {reason}", file=sys.stderr)
    return 1 if result.missing and options.strict else 0


def render(artifacts: list[Artifact], result: Result, form: str, cache: Path) -> list[str]:
    """The result: per artifact a line for people, or CMake code for a function to evaluate."""
    lines = []
    for artifact in artifacts:
        folder = str(result.folders.get(artifact.name, ""))
        reason = result.missing.get(artifact.name, "")
        if form == "cmake":
            lines.append(f"set(ANYCUDA_ARTIFACT_{artifact.name} {_bracket(folder)} PARENT_SCOPE)")
            lines.append(f"set(ANYCUDA_ARTIFACT_REASON_{artifact.name} {_bracket(reason)} PARENT_SCOPE)")
        else:
            lines.append(f"{artifact.name} {folder}" if folder else f"{artifact.name} not available")
    if form == "cmake":
        names = ";".join(artifact.name for artifact in artifacts)
        lines.append(f"set(ANYCUDA_ARTIFACTS {_bracket(names)} PARENT_SCOPE)")
        lines.append(f"set(ANYCUDA_CACHE_FOLDER {_bracket(str(cache))} PARENT_SCOPE)")
    return lines


def _bracket(text: str) -> str:
    """CMake's raw string: nothing in it is expanded."""
    equals = "=" * 3
    return f"[{equals}[{text.replace(']' + equals + ']', '')}]{equals}]"


def _list(options: argparse.Namespace) -> int:
    lock, cache = lockfile.load(options.lock), _cache(options)
    for name, members in lock.sets.items():
        size = sum(
            {f.name: f.size for m in members for f in lock.files_of(lock.artifacts[m])}.values()
        )
        print(f"set {name}: {len(members)} artifacts, {megabytes(size)} to download")
    for artifact in lock.artifacts.values():
        where = cache.folder(lock, artifact) if cache.has(lock, artifact) else "not in the cache"
        versions = ", ".join(f"{f.package} {f.version}" for f in lock.files_of(artifact))
        print(f"artifact {artifact.name} ({versions}): {where}")
    return 0


def _path(options: argparse.Namespace) -> int:
    lock, cache = lockfile.load(options.lock), _cache(options)
    artifact, *others = lock.expand([options.artifact])
    if others:
        raise ArtifactError(f"'{options.artifact}' is a set; name one artifact")
    if not cache.has(lock, artifact):
        raise ArtifactError(
            f"{artifact.name} is not in {cache.root}: `python3 tools/fetch/fetch.py get {artifact.name}`"
        )
    print(cache.folder(lock, artifact))
    return 0


def _write_lock(options: argparse.Namespace) -> int:
    from . import recipe, resolve, wanted
    from .debian import Apt
    from .sources import find_pip

    cache, progress = _cache(options), Progress()
    with cache.exclusive(
        lambda: progress.say("another process is fetching into the cache, waiting for it")
    ):
        try:
            old = lockfile.load(options.lock)
        except ArtifactError as error:
            progress.say(f"starting from nothing: {error}")
            old = Lock({}, {}, {})
        apt = Apt(cache.work / "apt", wanted.ARCH)
        pip = find_pip(old, cache, apt.fetch, bootstrap=bool(old.artifacts))
        resolver = resolve.real_resolver(pip, apt, progress.say)
        if options.keep:
            resolver = resolve.keeping(old, resolver)
        lock = resolve.resolve(recipe.artifacts(), recipe.sets(), resolver, cache.work)
        cache.clean()
    problems = lockfile.check(lock)
    if problems:
        raise ArtifactError("the recipe does not fit together: " + "; ".join(problems))
    text = lockfile.dump(lock)
    options.lock.write_text(text, encoding="utf-8")
    progress.say(f"{len(lock.files)} files in {options.lock}")
    return 0
