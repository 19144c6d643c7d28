# SPDX-License-Identifier: Apache-2.0
"""One release's facts into the database, and the database to and from its text files.

The database is kept in memory per version, and written by grouping the versions that agree. So the
order in which releases are added cannot matter, and adding one twice changes nothing.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from generate import abi_text, ctype
from generate.abi_text import Table
from generate.layout import TypeTable

ABOUT = {
    "functions": "Exported functions, the versions that export them and their prototypes.\n"
    "`?` is an exported function that no header declares (see internals.txt);\n"
    "`out` marks a pointer to one scalar or handle that the call fills.\n"
    "Written by the harvest tool; do not edit.",
    "types": "Types that the prototypes reach. Fields: byte offset, type, name.\n"
    "Written by the harvest tool; do not edit.",
    "enums": "Enumerators of the enumerations in types.txt: enumeration.name, versions, value.\n"
    "Written by the harvest tool; do not edit.",
    "macros": "Macros with an integer or handle value, and `redirect`: a function name that the\n"
    "header turns into another (`per-thread`: with CUDA_API_PER_THREAD_DEFAULT_STREAM).\n"
    "Written by the harvest tool; do not edit.",
    "errors": "Status values with the library's own words: name, versions, value, message.\n"
    "Written by the harvest tool; do not edit.",
    "variables": "Exported variables that the headers declare: name, versions, size.\n"
    "Written by the harvest tool; do not edit.",
    "symbol_versions": "The symbol version of each function, in a library that has several: function, versions,\n"
    "symbol version.\n"
    "Written by the harvest tool; do not edit.",
    "versions": "The releases this database was made from.\n"
    "Written by the harvest tool; do not edit.",
    "drivers": "The driver libraries whose exports this database holds.\n"
    "Written by the harvest tool; do not edit.",
    "exports": "What the driver libraries export, by driver version: name, versions, function or\n"
    "data (with its size).\n"
    "Written by the harvest tool; do not edit.",
    "driver_errors": "Status values with the driver's own words: name, drivers, value, message.\n"
    "Written by the harvest tool; do not edit.",
}


@dataclass
class Release:
    """The facts of one version of one library, as they go into the database. `left_out` are the functions that the
    library exports and the database does not get."""

    version: str
    about: str
    functions: dict[str, str] = field(default_factory=dict)
    types: dict[str, tuple[str, ...]] = field(default_factory=dict)
    enums: dict[str, dict[str, int]] = field(default_factory=dict)
    macros: dict[str, str] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    symbol_versions: dict[str, str] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    exports: dict[str, str] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)

    def rows(self) -> dict[str, dict[str, tuple[str, ...]]]:
        """Table name -> key -> body."""
        enums: dict[str, tuple[str, ...]] = {
            f"{key.removeprefix('enum ')}.{name}": (str(value),)
            for key, values in self.enums.items()
            for name, value in values.items()
        }
        plain: dict[str, dict[str, tuple[str, ...]]] = {
            name: {key: (text,) for key, text in getattr(self, name).items()}
            for name in ("functions", "macros", "errors", "exports", "symbol_versions", "variables")
        }
        return {
            **plain,
            "types": dict(self.types),
            "enums": enums,
            "driver_errors": plain["errors"],
        }


def reachable(prototypes: list[str], types: dict[str, tuple[str, ...]]) -> set[str]:
    """Keys of the types that the prototypes lead to."""
    table = TypeTable("", types, {})
    found: set[str] = set()
    for text in prototypes:
        result, params, _ = ctype.parse_prototype(text)
        for kind in (result, *(param.type for param in params)):
            found |= table.reached(kind)
    return found


BLOCK_TABLES = ("functions", "types")
RELEASE_TABLES = ("functions", "types", "enums", "macros", "errors", "symbol_versions", "variables")
DRIVER_TABLES = ("exports", "driver_errors")


class Database:
    """Text files of one library that share a list of versions, held per version."""

    def __init__(
        self, names: tuple[str, ...] = RELEASE_TABLES, list_name: str = "versions"
    ) -> None:
        self.names, self.list_name = names, list_name
        self.releases: dict[str, str] = {}
        self.tables: dict[str, Table] = {name: {} for name in names}

    @classmethod
    def load(
        cls, folder: Path, names: tuple[str, ...] = RELEASE_TABLES, list_name: str = "versions"
    ) -> "Database":
        """What `folder` holds; nothing there is an empty database."""
        database = cls(names, list_name)
        database.releases = abi_text.read_versions(folder / f"{list_name}.txt")
        versions = abi_text.sort_versions(database.releases)
        for name in names:
            read = abi_text.read_block if name in BLOCK_TABLES else abi_text.read_flat
            database.tables[name] = read(folder / f"{name}.txt", versions)
        return database

    def remove(self, version: str) -> None:
        self.releases.pop(version, None)
        for table in self.tables.values():
            for key in list(table):
                table[key].pop(version, None)
                if not table[key]:
                    del table[key]

    def add(self, release: Release) -> None:
        """Puts a release in; one of that version which is there already is replaced."""
        self.remove(release.version)
        self.releases[release.version] = release.about
        rows = release.rows()
        for name in self.names:
            for key, body in rows[name].items():
                self.tables[name].setdefault(key, {})[release.version] = body

    def same_facts(self, release: Release, version: str) -> bool:
        """Does the release say the same as the version that is there?"""
        rows = release.rows()
        return all(
            rows[name]
            == {key: by[version] for key, by in self.tables[name].items() if version in by}
            for name in self.names
        )

    def texts(self) -> dict[str, str]:
        """File name -> content."""
        versions = abi_text.sort_versions(self.releases)
        result = {f"{self.list_name}.txt": _list_text(self.list_name, self.releases, versions)}
        for name in self.names:
            table = self.tables[name]
            if name in BLOCK_TABLES:
                result[f"{name}.txt"] = abi_text.write_block(table, versions, ABOUT[name])
            elif table:
                result[f"{name}.txt"] = abi_text.write_flat(
                    table, versions, ABOUT[name], _order(name, table, versions)
                )
        return result

    def save(self, folder: Path) -> list[str]:
        """Writes what changed; the names of the files written."""
        folder.mkdir(parents=True, exist_ok=True)
        changed = []
        for name, text in self.texts().items():
            path = folder / name
            if not path.exists() or path.read_text() != text:
                path.write_text(text)
                changed.append(name)
        return changed


def _list_text(name: str, releases: dict[str, str], versions: list[str]) -> str:
    lines = [f"# {line}" for line in ABOUT[name].splitlines()] + [""]
    return "\n".join(lines + [f"{version}  {releases[version]}" for version in versions]) + "\n"


def _order(name: str, table: Table, versions: list[str]) -> list[str]:
    """Enumerators and errors by value, so that the text reads like the header; the rest by name."""
    if name in ("macros", "exports", "symbol_versions", "variables"):
        return sorted(table)

    def value(key: str) -> tuple[Any, ...]:
        first = next(table[key][v] for v in versions if v in table[key])
        number = int(first[0].split(" ", 1)[0])
        return (key.partition(".")[0] if name == "enums" else "", number, key)

    return sorted(table, key=value)
