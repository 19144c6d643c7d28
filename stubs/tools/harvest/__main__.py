"""The harvest tool's command line: see --help, and stubs/abi/README.md for what the files mean."""

import argparse
import sys
import tempfile
from pathlib import Path

from anycuda.elf import ElfError
from generate import abi_text

from . import headers, report, sources
from .libraries import ROWS
from .merge import DRIVER_TABLES, Database
from .release import make, make_declared, make_driver

ABI = Path(__file__).resolve().parents[2] / "abi"


def say(text: str) -> None:
    print(text, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="harvest", description=__doc__)
    parser.add_argument("--abi", type=Path, default=ABI, help="the database (default: stubs/abi)")
    parser.add_argument("--clang", type=Path, help="folder that holds the Python package clang")
    commands = parser.add_subparsers(dest="command", required=True)

    add = commands.add_parser("add", help="merge one release, or one driver, into the database")
    add.add_argument("--library", required=True, choices=sorted(ROWS))
    add.add_argument("--version", required=True, help="13.5; of a driver: 535")
    add.add_argument("--headers", type=Path, help="folder of the release's headers")
    add.add_argument("--lib", type=Path, help="the library file")
    add.add_argument("--package", default="", help="name and version of where it comes from")
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
            choices=sorted(ROWS),
            help="only this library (may be given again)",
        )
    for command in (add, every, check):
        # Also after the command, where one types them; the default there must not undo the first.
        command.add_argument("--abi", type=Path, default=argparse.SUPPRESS, help=argparse.SUPPRESS)
        command.add_argument(
            "--clang", type=Path, default=argparse.SUPPRESS, help=argparse.SUPPRESS
        )
    return parser


def _add(options: argparse.Namespace) -> int:
    row, folder = ROWS[options.library], options.abi / options.library
    internals = abi_text.read_reviewed(folder / "internals.txt")
    if options.headers is None and options.lib is None:
        raise headers.HeaderError("nothing to read: give --headers, --lib or both")
    if row.name == "cuda" and options.headers is None:
        database = Database.load(folder, DRIVER_TABLES, "drivers")
        values = report.status_values(Database.load(folder), row.status_enum)
        database.add(make_driver(row, options.version, options.lib, values, options.package))
    else:
        database = Database.load(folder)
        if row.name == "cuda":
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
        + (f"wrote {', '.join(changed)}" if changed else "the database said this already")
    )
    if options.headers is not None:
        for line in report.incompatible(folder, options.version):
            say(line)
    return 0


def _all(options: argparse.Namespace) -> int:
    for name in options.library or sorted(ROWS):
        changed = _harvest(name, options.cache, options.abi, options.abi)
        say(f"{name}: " + (f"wrote {', '.join(changed)}" if changed else "nothing changed"))
    return 0


def _check(options: argparse.Namespace) -> int:
    wrong = 0
    with tempfile.TemporaryDirectory() as temporary:
        for name in options.library or sorted(ROWS):
            _harvest(name, options.cache, options.abi, Path(temporary))
            for path in sorted((Path(temporary) / name).glob("*.txt")):
                kept = options.abi / name / path.name
                if not kept.exists() or kept.read_bytes() != path.read_bytes():
                    say(f"{kept}: differs from what the artifacts say; run `harvest all`")
                    wrong += 1
    say("the database is what the artifacts say" if not wrong else f"{wrong} files differ")
    return 1 if wrong else 0


def _harvest(name: str, cache: Path, reviewed: Path, target: Path) -> list[str]:
    """Everything of one library, from nothing but the artifacts and the hand-kept files."""
    row = ROWS[name]
    internals = abi_text.read_reviewed(reviewed / name / "internals.txt")
    database = Database()
    artifacts = sources.find(cache, "cudart" if name == "cuda" else name)
    if not artifacts:
        raise sources.SourceError(f"{cache} has no artifacts of {name}")
    for number, artifact in enumerate(artifacts, 1):
        say(f"[{number}/{len(artifacts)}] {name} {artifact.version}")
        if name == "cuda":
            release = make_declared(row, artifact.version, artifact.headers, internals, artifact.package)
        else:
            release = make(
                row, artifact.version, artifact.headers, artifact.library(name), internals, artifact.package
            )
        minor = ".".join(artifact.version.split(".")[:2])
        if (
            minor != artifact.version
            and minor in database.releases
            and database.same_facts(release, minor)
        ):
            say(f"    says the same as {minor}")
            continue
        database.add(release)
    changed = database.save(target / name)
    if name == "cuda":
        drivers = Database(DRIVER_TABLES, "drivers")
        values = report.status_values(database, row.status_enum)
        for artifact in sources.find(cache, "driver"):
            say(f"driver {artifact.version}")
            drivers.add(make_driver(row, artifact.version, artifact.driver, values))
        changed += drivers.save(target / name)
    return changed


def main() -> int:
    options = _parser().parse_args()
    folder = options.clang
    if folder is None and getattr(options, "cache", None):
        folder = sources.clang_folder(options.cache)
    try:
        if options.command != "add" or options.headers is not None:
            headers.use_clang(folder)
        return options.run(options)
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
