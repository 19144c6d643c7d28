# SPDX-License-Identifier: Apache-2.0
"""The matrix for people: symbol x caller's major x release of the runtime -> what happens.

A disposition (dispositions.py) holds for a whole major; a release of it may still lack the name that is
called, and then the call is absent there. The matrix says so release by release, from the same
dispositions as the stubs, and is written as the file that the command `anycuda matrix` reads.

    PYTHONPATH=stubs/tools python3 -m generate.matrix --version 0.1.0 --out matrix.json
"""

import argparse
import importlib.util
import json
import sys
from collections.abc import Iterator
from dataclasses import astuple, dataclass, fields
from itertools import groupby
from pathlib import Path
from types import ModuleType
from typing import Any

import tomllib

from . import abi_text, gpu_facts, library_folders, products
from . import dispositions as disposition_rules
from .descriptor import ALL, Descriptor
from .dispositions import Disposition, Dispositions
from .library_folders import STUBS, LibraryFolders
from .model import Database, Function
from .overrides import Rename, is_driver_name, load_renames

FORMAT = 1
ANY_CALLER = "any"
CATALOGUE = STUBS.parent / "compat" / "catalogue"


@dataclass(frozen=True)
class Answer:
    """What one release gives. `target` is the name that is called where it is another than the
    caller's, `function` our adapter, `needs` what that calls. `since` is the first release of the same
    major that works, "" where none does. `driver` is the CUDA release whose driver first has what an
    adapter needs, "" where any driver that is new enough for the runtime's major does."""

    kind: str
    target: str = ""
    function: str = ""
    needs: tuple[str, ...] = ()
    since: str = ""
    driver: str = ""
    reason: str = ""


Matrix = dict[tuple[str, str], list[Answer]]  # (symbol, caller) -> an answer for each runtime


def of_library(database: Database, dispositions: Dispositions, driver: Database) -> Matrix:
    """Answers for `database.versions`, in that order."""
    renames = load_renames(database.path / "renames.txt")
    return {
        (symbol, caller): [
            _answer(
                database, dispositions[symbol, database.major(f"{caller}.0"), database.major(release)], release,
                renames, driver
            )
            for release in database.versions
        ]
        for symbol, caller in sorted(_callers(database, dispositions))
    }


def _callers(database: Database, dispositions: Dispositions) -> set[tuple[str, str]]:
    """(symbol, CUDA's major): of a SONAME that several majors have, a caller of each."""
    named = {key[:2] for key in dispositions}
    return {
        (name, major)
        for name, function in database.functions.items()
        for major in {abi_text.major_of(version) for version in function.versions}
        if (name, database.major(f"{major}.0")) in named
    }


def _answer(
    database: Database, disposition: Disposition, release: str, renames: list[Rename], driver: Database
) -> Answer:
    if disposition.kind in ("absent", "rejected"):
        return Answer(disposition.kind, reason=disposition.reason)
    if disposition.function:
        return _adapted(database, disposition, release, driver)
    names = [database.functions[name] for name in (disposition.target, *disposition.fallbacks)]
    having = abi_text.sort_versions(v for name in names for v in name.versions_of(disposition.runtime))
    found = next((name for name in names if release in name.versions), None)
    if found is None and disposition.fallback:
        return _adapted(database, disposition.fallback, release, driver)
    if found is None:
        return _absent(release, having, database.versions)
    if found.name == disposition.symbol:
        return Answer("direct", since=having[0])
    return Answer("renamed", found.name, since=having[0], reason=_why(renames, disposition, found.name))


def _absent(release: str, having: list[str], releases: list[str]) -> Answer:
    """Of a release without the function, which `having` have; both lists from old to new. A SONAME may span two majors
    of CUDA: what releases of the first have, the second may lack."""
    place = releases.index(release)
    before = [other for other in having if releases.index(other) < place]
    after = [other for other in having if releases.index(other) > place]
    if not after:
        return Answer("absent", reason=f"not after {before[-1]}")
    reason = f"{before[-1]} and {after[0]} have it, {release} does not" if before else f"not before {after[0]}"
    return Answer("absent", since=after[0], reason=reason)


def _why(renames: list[Rename], disposition: Disposition, target: str) -> str:
    return next(
        line.reason
        for line in renames
        if disposition.caller in line.callers
        and line.runtime == disposition.runtime
        and line.apply(disposition.symbol) == target
    )


def _adapted(database: Database, disposition: Disposition, release: str, driver: Database) -> Answer:
    mine = [name for name in disposition.needs if not is_driver_name(name)]
    missing = [name for name in mine if release not in database.functions[name].versions]
    if missing:
        reason = f"not before {disposition.since}, the first release with {', '.join(missing)}"
        return Answer("absent", since=disposition.since, reason=reason)
    first = [driver.functions[name].since for name in disposition.needs if is_driver_name(name)]
    newest = abi_text.sort_versions(filter(None, first))[-1:]
    # Every driver that the runtime's major accepts is as new as the first release of that major.
    oldest = database.versions_of(disposition.runtime)[0]
    later = [v for v in newest if abi_text.version_key(v) > abi_text.version_key(oldest)]
    return Answer(
        disposition.kind, disposition.target, disposition.function, disposition.needs, disposition.since,
        "".join(later), disposition.reason
    )


def static_runtimes() -> dict[str, str]:
    """CUDA release -> a string of its runtime, in the order of the file."""
    lines = (CATALOGUE / "static_runtimes.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split(maxsplit=1) for line in lines if line.strip() and not line.startswith("#"))


def branch_releases() -> dict[str, str]:
    """Branch of the driver -> the CUDA release that it comes with."""
    return {str(row["driver"]): row["cuda"] for row in gpu_facts.read(CATALOGUE)["releases"] if row["driver"]}


def driver_branches(database: Database) -> dict[str, str]:
    """Those whose functions the releases of cuda.h tell: branch -> release."""
    first, last = (abi_text.version_key(database.versions[place]) for place in (0, -1))
    return {branch: release for branch, release in branch_releases().items()
            if first <= abi_text.version_key(release) <= last}


def driver_runtimes(database: Database) -> list[str]:
    """The branches of the driver, and the newest cuda.h in place of a driver that has all of it."""
    return [*driver_branches(database), database.versions[-1]]


def of_driver(database: Database) -> Matrix:
    """The driver's libraries have one major: a name exists or not, independent of the caller."""
    functions = [f for _, f in sorted(database.functions.items()) if not f.data_size]
    releases = branch_releases()
    return {
        (function.name, ANY_CALLER): [
            _driver_answer(function, runtime, releases, database)
            for runtime in driver_runtimes(database)
        ]
        for function in functions
    }


def _driver_answer(function: Function, runtime: str, releases: dict[str, str], database: Database) -> Answer:
    # No name ever goes, so a driver as new as the newest header has all that a header or driver had.
    if runtime == database.versions[-1] or _has(function, runtime, releases, database.driver_versions):
        return Answer("direct", since=function.since)
    reason = "this driver does not export it"
    if function.since:
        reason += f" (in {database.library}.h since {function.since})"
    return Answer("absent", since=function.since, reason=reason)


def _has(function: Function, branch: str, releases: dict[str, str], harvested: list[str]) -> bool:
    """By its exports, of a branch of which they were harvested. Else by cuda.h, as far as the harvested drivers agree:
    it also declares functions that drivers of other platforms have. What only exports tell of came with the branch that
    has it first; what the oldest of these has is older."""
    if branch in harvested:
        return branch in function.drivers
    if not function.since:
        return any(driver == harvested[0] or int(driver) < int(branch) for driver in function.drivers)
    since, own, seen = map(abi_text.version_key, (function.since, releases[branch], releases[harvested[-1]]))
    return since <= own and (bool(function.drivers) or since > seen)


def own_runtimes(name: str, database: Database) -> list[str]:
    """Releases of the library's own, told from CUDA's: nccl-2.28."""
    return [f"{name}-{version}" for version in abi_text.by_age(database.versions)]


def of_own_releases(database: Database) -> Matrix:
    """One SONAME for every CUDA: a release has the name or not, independent of the caller."""
    releases = abi_text.by_age(database.versions)
    functions = [f for _, f in sorted(database.functions.items()) if f.versions]
    return {(function.name, ANY_CALLER): _own_answers(function, releases) for function in functions}


def _own_answers(function: Function, releases: list[str]) -> list[Answer]:
    having = [release for release in releases if release in function.versions]
    return [Answer("direct", since=having[0]) if release in having else _absent(release, having, releases)
            for release in releases]


def of_earlier_callers(database: Database, library: Descriptor, driver: Database) -> Matrix:
    """Callers of an earlier major of the library's own, on the releases that serve them."""
    callers = library.callers
    if callers is None:
        raise ValueError(f"{library.name} has no callers of an earlier major")
    dispositions = disposition_rules.dispositions(database)
    releases = [release for release in abi_text.by_age(database.versions)
                if database.major(release) == callers.served_by]
    return {(name, ANY_CALLER): [_answer(database, dispositions[name, callers.built_for, callers.served_by], release,
                                         [], driver) for release in releases]
            for name, function in sorted(database.functions.items()) if callers.built_for in function.majors}


def to_json(rows: Matrix) -> dict[str, Any]:
    """Compact: each distinct answer once; a row is [symbol, caller, [count, answer, ...]]."""
    answers: dict[Answer, int] = {}
    packed = []
    for (symbol, caller), row in rows.items():
        numbers = [answers.setdefault(answer, len(answers)) for answer in row]
        runs = [(len(list(run)), number) for number, run in groupby(numbers)]
        packed.append([symbol, caller, [part for run in runs for part in run]])
    return {
        "answer_fields": [field.name for field in fields(Answer)],
        "answers": [astuple(answer) for answer in answers],
        "rows": packed,
    }


def _libraries(folders: LibraryFolders) -> Iterator[tuple[str, dict[str, Any]]]:
    driver = folders.database("cuda")
    described = [folders.descriptor(name) for name in folders.names()]
    for library in sorted(described, key=lambda row: row.is_driver):
        database = folders.database(library.name)
        if library.is_driver:
            rows, runtimes, callers = of_driver(database), driver_runtimes(database), [ANY_CALLER]
        elif library.callers:
            rows, callers = of_earlier_callers(database, library, driver), [ANY_CALLER]
            serving = library.name if database.served_by is None else database.served_by.parent.name
            runtimes = own_runtimes(serving, folders.database(serving))
        elif library.own_releases:
            rows, runtimes, callers = of_own_releases(database), own_runtimes(library.name, database), [ANY_CALLER]
        else:
            rows = of_library(database, disposition_rules.dispositions(database), driver)
            runtimes = database.versions
            callers = list(dict.fromkeys(map(abi_text.major_of, runtimes)))
        yield library.name, {
            "product": library.product,
            "stub": library.stub,
            "is_driver": library.is_driver,
            "own_releases": library.own_releases,
            "driver_bound": library.driver_bound,
            "file_prefix": library.file_prefix,
            "parts": library.parts,
            "wheels": library.wheels,
            "toolkit_extra": library.toolkit_extra,
            "packages": library.packages,
            "first_release": "" if library.is_driver or library.own_releases else database.versions[0],
            "is_optional": library.asks(ALL),
            "companions": library.companions,
            "served_by": library.callers.served_by if library.callers else "",
            "majors": {str(number): {"soname": m.soname, "node": m.symbol_version}
                       for m in map(library.asked_for, library.majors) for number in m.cuda_majors},
            "symbol_versions": sorted({version for f in database.functions.values() for version in f.symbol_versions}),
            "status": {kind: library.status[kind] for kind in ("absent", "rejected")},
            "callers": callers,
            "runtimes": runtimes,
            **to_json(rows),
        }


def others(folders: LibraryFolders) -> dict[str, list[str]]:
    """NVIDIA's libraries that have no stub: name -> SONAMEs, from the catalogue of the policy library."""
    catalogue = _catalogue_reader().Catalogue(CATALOGUE, {"target": "", "multiarch": ""})
    if catalogue.errors:
        raise ValueError("; ".join(catalogue.errors))
    ours = tuple(folders.descriptor(name).file_prefix for name in folders.names())
    return {
        component.name: component.values["files"]
        for component in catalogue.components
        if component.kind == "dynamic_library" and not component.values["files"][0].startswith(ours)
    }


def _catalogue_reader() -> ModuleType:
    """compat/catalogue/generate.py: a script, and its name is that of the package here."""
    spec = importlib.util.spec_from_file_location("catalogue_reader", CATALOGUE / "generate.py")
    if spec is None or spec.loader is None:
        raise ImportError(f"{CATALOGUE / 'generate.py'} is not a Python module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look themselves up there
    spec.loader.exec_module(module)
    return module


def text(version: str, folders: LibraryFolders = LibraryFolders()) -> str:
    """The whole file: one line per library, so that a difference can be looked at."""
    parts = [f'{json.dumps(name)}: {json.dumps(library, separators=(",", ":"))}'
             for name, library in _libraries(folders)]
    head = f'{{"format": {FORMAT}, "anycuda": {json.dumps(version)}, "libraries": {{\n'
    facts = {"others": others(folders), "device_code": gpu_facts.read(CATALOGUE), "static_runtimes": static_runtimes(),
             "products": products.read(CATALOGUE),
             "outcomes": tomllib.loads((CATALOGUE / "outcomes.toml").read_text(encoding="utf-8"))}
    rest = "".join(f',\n"{name}": {json.dumps(value, separators=(",", ":"))}' for name, value in facts.items())
    return head + ",\n".join(parts) + "\n}" + rest + "}\n"


def main() -> int:
    parser = argparse.ArgumentParser(prog="generate.matrix", description=__doc__.splitlines()[0])
    parser.add_argument("--version", required=True, help="anycuda's version")
    parser.add_argument("--out", type=Path, required=True)
    library_folders.add_option(parser)
    arguments = parser.parse_args()
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(text(arguments.version, library_folders.chosen(arguments)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (ValueError, OSError) as error:  # what is wrong with the facts, as a sentence
        sys.exit(f"generate.matrix: {error}")
