# SPDX-License-Identifier: Apache-2.0
"""Reads CUDA's headers and libraries into the ABI database, whose files stubs/abi.md describes."""

import argparse
import sys
import tempfile
from pathlib import Path

from anycuda.elf import ElfError
from generate import abi_text, defaults

from . import headers, report, sources
from . import libraries as known_libraries
from .libraries import LibraryRow
from .merge import DRIVER_TABLES, Database, Release
from .release import Internals, make, make_declared, make_driver


def say(text: str) -> None:
    print(text, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="harvest", description=__doc__)
    parser.add_argument("--clang", type=Path, help="folder that holds the Python package clang")
    parser.add_argument("--folder", type=Path, action="append", default=[], metavar="FOLDER",
                        help="the folder of one more library: its harvest.json and facts (may be given again)")
    commands = parser.add_subparsers(dest="command", required=True)

    add = commands.add_parser("add", help="merge one release, or one driver, into the database")
    add.add_argument("--library", required=True)
    add.add_argument("--version", required=True, help="13.5; of a driver: 535")
    add.add_argument("--headers", type=Path, help="folder of the release's headers")
    add.add_argument("--lib", type=Path, help="the library file")
    add.add_argument("--package", default="", help="name and version of the package that contains it")
    add.set_defaults(run=_add)

    every = commands.add_parser("all", help="make the whole database again from the artifacts")
    every.set_defaults(run=_all)
    check = commands.add_parser("check", help="make it again elsewhere and compare every byte")
    check.set_defaults(run=_check)
    for command in (every, check):
        command.add_argument(
            "--cache",
            type=Path,
            required=True,
            help="the fetch tool's cache, or folders named cudart-12.9, driver-535 ...",
        )
        command.add_argument(
            "--library",
            action="append",
            help="only this library (may be given again)",
        )
        command.add_argument(
            "--fetch",
            action="store_true",
            help="fetch the artifacts of the recipe that the cache lacks, one release at a time, and delete them again",
        )
    for command in (add, every, check):
        # Also after the command, where one types them; the default there must not undo the first.
        command.add_argument(
            "--clang", type=Path, default=argparse.SUPPRESS, help=argparse.SUPPRESS
        )
        command.add_argument(
            "--folder", type=Path, action="append", default=argparse.SUPPRESS, help=argparse.SUPPRESS
        )
    return parser


def _rows(options: argparse.Namespace) -> dict[str, LibraryRow]:
    """Each library that was asked for has one."""
    rows = known_libraries.rows(options.folder)
    asked = [options.library] if isinstance(options.library, str) else options.library or []
    unknown = [name for name in asked if name not in rows]
    if unknown:
        known = ", ".join(sorted(rows))
        raise abi_text.FormatError(f"no row for {', '.join(unknown)}: known are {known}; add one with --folder")
    return rows


def _add(options: argparse.Namespace) -> int:
    row = options.rows[options.library]
    folder = row.facts
    internals = abi_text.read_internals(folder / "internals.txt")
    if options.headers is None and options.lib is None:
        raise headers.HeaderError("nothing to read: give --headers, --lib or both")
    if row.driver and options.headers is None:
        database = Database.load(folder, DRIVER_TABLES, "drivers")
        values = report.status_values(Database.load(folder), row.status_enum)
        database.add(make_driver(row, options.version, options.lib, values, options.package))
    else:
        database = Database.load(folder)
        if row.driver:
            release = make_declared(
                row, options.version, options.headers, internals, options.package
            )
        elif options.headers is None or options.lib is None:
            raise headers.HeaderError(f"a release of {row.name} needs both --headers and --lib")
        else:
            release = make(
                row, options.version, options.headers, options.lib, internals, options.package
            )
        database.add(release)
    changed = database.save(folder)
    say(
        f"{row.name} {options.version}: "
        + (f"wrote {', '.join(changed)}" if changed else "the database already has this")
    )
    if options.headers is not None:
        for line in report.left_out(row, release) + report.incompatible(folder, options.version):
            say(line)
    return 0


def _all(options: argparse.Namespace) -> int:
    names = options.library or [name for name in sorted(options.rows) if not _lacks(options, name)]
    for name in names:
        lacks = _lacks(options, name)
        if lacks:
            raise sources.SourceError(
                f"{options.cache} lacks {lacks} releases of {name}: fetch them with --fetch"
            )
        changed = _harvest(name, options, options.rows[name].facts)
        say(f"{name}: " + (f"wrote {', '.join(changed)}" if changed else "nothing changed"))
        _say_differences(options.rows[name])
    return 0


def _say_differences(row: LibraryRow) -> None:
    """What differs between releases that share one SONAME: no stub can adapt it."""
    if defaults.own_releases_of(row.facts):
        for version in abi_text.by_age(Database.load(row.facts).releases):
            for line in report.incompatible(row.facts, version):
                say(line)


def _lacks(options: argparse.Namespace, name: str) -> int:
    """How many releases of a library there are that cannot be had."""
    return 0 if options.fetch else len(sources.missing(options.cache, options.rows[name]))


def _check(options: argparse.Namespace) -> int:
    wrong = []
    for name in options.library or sorted(options.rows):
        lacks = _lacks(options, name)
        wrong += _differing_releases(name, options) if lacks else _differing_files(name, options)
        if lacks:
            say(f"{name}: {lacks} releases are not in {options.cache} and were not compared")
    for line in wrong:
        say(f"{line}: differs from the artifacts; run `harvest all`")
    say("the database agrees with the compared artifacts" if not wrong else f"{len(wrong)} differ")
    return 1 if wrong else 0


def _differing_files(name: str, options: argparse.Namespace) -> list[str]:
    """The files of a library that are not, byte by byte, what its artifacts make."""
    with tempfile.TemporaryDirectory() as temporary:
        made, kept = Path(temporary) / name, options.rows[name].facts
        _harvest(name, options, made)
        return [
            str(kept / path.name)
            for path in sorted(made.glob("*.txt"))
            if not (kept / path.name).exists() or (kept / path.name).read_bytes() != path.read_bytes()
        ]


def _differing_releases(name: str, options: argparse.Namespace) -> list[str]:
    """The releases in the cache of which the database says something else."""
    row = options.rows[name]
    folder = row.facts
    internals, database = abi_text.read_internals(folder / "internals.txt"), Database.load(folder)
    wrong = []
    for version in sources.versions(options.cache, row, False):
        say(f"{name} {version}")
        with sources.artifact(options.cache, row, version, False) as (artifact, beside):
            release = _release(row, artifact, beside, internals)
        if not database.same_facts(release, _kept_as(database, version)):
            wrong.append(f"{name} {version}")
    return wrong


def _kept_as(database: Database, version: str) -> str:
    """A patch release that is equal to its minor has no separate entry."""
    return version if version in database.releases else ".".join(version.split(".")[:2])


def _harvest(name: str, options: argparse.Namespace, target: Path) -> list[str]:
    """Everything of one library, from nothing but the artifacts and the hand-kept files."""
    row, cache = options.rows[name], options.cache
    internals = abi_text.read_internals(row.facts / "internals.txt")
    database = Database()
    versions = sources.versions(cache, row, options.fetch)
    if not versions:
        raise sources.SourceError(f"{cache} has no artifacts of {name}: fetch them with --fetch")
    for number, version in enumerate(versions, 1):
        say(f"[{number}/{len(versions)}] {name} {version}")
        with sources.artifact(cache, row, version, options.fetch) as (artifact, beside):
            release = _release(row, artifact, beside, internals)
        for line in report.left_out(row, release):
            say(line)
        minor = ".".join(version.split(".")[:2])
        if minor != version and minor in database.releases and database.same_facts(release, minor):
            say(f"    the same as {minor}")
            continue
        database.add(release)
    changed = database.save(target)
    if row.driver:
        drivers = Database(DRIVER_TABLES, "drivers")
        values = report.status_values(database, row.status_enum)
        for artifact in sources.find(cache, "driver"):
            say(f"driver {artifact.version}")
            drivers.add(make_driver(row, artifact.version, artifact.driver(row.file), values))
        changed += drivers.save(target)
    return changed


def _release(
    row: LibraryRow, artifact: sources.Artifact, beside: list[sources.Artifact], internals: Internals
) -> Release:
    if row.driver:
        return make_declared(row, artifact.version, artifact.headers(row), internals, artifact.package)
    return make(
        row, artifact.version, artifact.headers(row), artifact.library(row.file), internals, artifact.package,
        tuple(folder for other in beside for folder in other.include_folders),
        tuple(folder for other in beside for folder in other.library_folders),
    )


def main() -> int:
    options = _parser().parse_args()
    folder = options.clang
    if folder is None and getattr(options, "cache", None):
        folder = sources.clang_folder(options.cache)
    try:
        options.rows = _rows(options)
        if options.command != "add" or options.headers is not None:
            headers.use_clang(folder)
        return int(options.run(options))
    except (
        headers.HeaderError,
        ElfError,
        sources.SourceError,
        abi_text.FormatError,
        RuntimeError,
        OSError,
    ) as error:
        print(f"harvest: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
