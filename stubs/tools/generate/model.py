# SPDX-License-Identifier: Apache-2.0
"""The ABI database of one library as Python objects: what the generator builds tables from.

db = model.load(Path("stubs/cudart/abi"))
db.functions["cudaMalloc"].prototype("12.4").params[0].kind
"""

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Callable, Optional

from . import abi_text, ctype, defaults, layout
from .abi_text import Table, major_of
from .layout import Resolved, TypeTable

NATIVE = "NATIVE"


@dataclass(frozen=True)
class Param:
    """One parameter. kind: integer, pointer, float or struct (passed by value).

    `classes` says where a value travels on x86_64 (cpu.py has what others make of it): integer or sse for
    each eight bytes, or memory; `sse` is true when any part of it is in a vector register. `floats`: the members of a
    structure of floating-point numbers of one size."""

    name: str
    type: str
    kind: str
    size: int
    align: int
    classes: tuple[str, ...]
    out: bool
    floats: int = 0

    @property
    def sse(self) -> bool:
        return "sse" in self.classes


@dataclass(frozen=True)
class Prototype:
    """A function's type in one version. result_kind: status, int, pointer, string, void, struct,
    other; status is the library's own status enumeration."""

    text: str
    result: str
    result_kind: str
    result_size: int
    result_classes: tuple[str, ...]
    params: tuple[Param, ...]
    variadic: bool


@dataclass
class Function:
    """One exported name and its facts in every version.

    `versions` are the releases that export it; for the driver the ones whose cuda.h declares it,
    and `drivers` the drivers that export it. `source` is header, internals or unknown (no type).
    `data_size` is not 0 for an exported variable, which is not a function. `symbol_versions` are those that releases
    of a library with several symbol versions give it, the newest release's last."""

    name: str
    versions: tuple[str, ...]
    texts: dict[str, str]
    source: str
    _database: "Database" = field(repr=False)
    drivers: tuple[str, ...] = ()
    data_size: int = 0
    _declared: frozenset[str] = frozenset()  # releases whose headers have it
    symbol_versions: tuple[str, ...] = ()
    _prototypes: dict[str, Optional[Prototype]] = field(default_factory=dict, repr=False)

    @property
    def since(self) -> str:
        """The first harvested version that exports it; "" where only drivers do."""
        return self.versions[0] if self.versions else ""

    @property
    def until(self) -> str:
        """The last harvested version that exports it; "" where only drivers do."""
        return self.versions[-1] if self.versions else ""

    @cached_property
    def majors(self) -> tuple[str, ...]:
        """Majors that have it; the driver's names are all of its one major."""
        if not self.versions:
            return (NATIVE,)
        return tuple(dict.fromkeys(self._database.major(version) for version in self.versions))

    def versions_of(self, major: str) -> tuple[str, ...]:
        return tuple(v for v in self.versions if self._database.major(v) == major)

    def prototype(self, version: str) -> Optional[Prototype]:
        """None where the version does not have it, or no prototype is known."""
        if version not in self._prototypes:
            text = self.texts.get(version, "?")
            self._prototypes[version] = None if text == "?" else self._made(text, version)
        return self._prototypes[version]

    def _made(self, text: str, version: str) -> Prototype:
        """A release that does not declare it has the text of another (defaults.complete), and maybe not its types."""
        try:
            return self._database.make_prototype(text, version)
        except layout.UnknownType:
            alike = [release for release, other in self.texts.items() if other == text and release in self._declared]
            if not alike or version in alike:
                raise
            return self._database.make_prototype(text, alike[0])


@dataclass
class Database:
    """One library's facts. For a library without majors (the driver) there is one major, NATIVE."""

    path: Path
    library: str
    versions: list[str]
    about: dict[str, str]
    types: Table
    functions: dict[str, Function] = field(default_factory=dict)
    errors_by_version: Table = field(default_factory=dict)
    macro_table: Table = field(default_factory=dict)
    enum_table: Table = field(default_factory=dict)
    driver_versions: list[str] = field(default_factory=list)
    status_type: str = ""
    messages: dict[int, str] = field(default_factory=dict)
    borrowed: frozenset[str] = frozenset()
    opaque: frozenset[str] = frozenset()  # types whose layout is the library's alone (opaque.txt)
    own_releases_of: tuple[str, ...] = ()  # the majors of CUDA that releases of the library's own numbers are for
    served_by: Optional[Path] = None  # the folder of the facts of what callers of an earlier major call
    _tables: dict[str, TypeTable] = field(default_factory=dict, repr=False)

    @cached_property
    def _first_of_soname(self) -> dict[str, str]:
        """CUDA's major -> the first one whose library has the same SONAME: libcusparse.so.12 is of CUDA 12 and 13."""
        first: dict[str, str] = {}
        before = ("", "")  # a SONAME and its first major
        for version in self.versions:
            major, soname = major_of(version), re.search(r"\bsoname (\S+)", self.about.get(version, ""))
            if not soname or soname[1] != before[0]:
                before = (soname[1] if soname else "", first.get(major, major))
            first.setdefault(major, before[1])
        return first

    def node(self, version: str) -> str:
        """The symbol version that a release gives its names, "" where it gives none."""
        found = re.search(r"\bnode (\S+)", self.about.get(version, ""))
        return found[1] if found and found[1] != "-" else ""

    def major(self, version: str) -> str:
        """The major whose rules hold for a release: CUDA's, or where majors share a SONAME, which tells neither the
        caller's from the library's, the first of these."""
        if self.driver_versions:
            return NATIVE
        if self.served_by:  # both kinds of releases are the library's own: 8.9 and 9.1
            return major_of(version)
        if self.own_releases_of:
            return self.own_releases_of[0]
        return self._first_of_soname.get(major_of(version), major_of(version))

    @cached_property
    def majors(self) -> list[str]:
        return list(dict.fromkeys(self.major(version) for version in self.versions))

    def versions_of(self, major: str) -> list[str]:
        return [version for version in self.versions if self.major(version) == major]

    def exports(self, version: str) -> list[str]:
        """Names that this version of the library exports: a fingerprint of it. For the driver,
        `version` is a driver version such as "535"."""
        return sorted(
            name
            for name, function in self.functions.items()
            if version in function.versions or version in function.drivers
        )

    def type_table(self, version: str) -> TypeTable:
        """Types and enumerators as they are in one version."""
        known = self._tables.get(version)
        if known is None:
            bodies = {key: ("opaque",) if key in self.opaque and not key.startswith("enum ") else by[version]
                      for key, by in self.types.items() if version in by}
            enums: dict[str, dict[str, int]] = {}
            for key, by in self.enum_table.items():
                if version in by:
                    owner, _, name = key.rpartition(".")
                    enums.setdefault(f"enum {owner}", {})[name] = int(by[version][0])
            for name in self.borrowed:
                key, _, origin = name.rpartition("@")
                bodies[name] = self.types[key][origin]
            known = self._tables[version] = TypeTable(version, bodies, enums, self.macros(version),
                                                      f"{self.library}/types.txt", self.opaque)
        return known

    @cached_property
    def errors(self) -> list[tuple[int, str, str]]:
        """(value, name, message) of every status value of any version, sorted by value. Where
        versions differ, the newest speaks. The message is "" where no library has told one."""
        return self._errors(self.versions)

    def errors_of(self, major: str) -> list[tuple[int, str, str]]:
        """The same for one major: its newest version speaks."""
        return self._errors(self.versions_of(major))

    def _errors(self, versions: list[str]) -> list[tuple[int, str, str]]:
        by_value: dict[int, tuple[int, str, str]] = {}
        for version in versions:
            for name, value in (
                self.type_table(version).enumerators.get(self.status_type, {}).items()
            ):
                by_value[value] = (value, name, self.messages.get(value, ""))
            for name, by in self.errors_by_version.items():
                if version in by:
                    number, _, message = by[version][0].partition(" ")
                    by_value[int(number)] = (int(number), name, message)
        return [by_value[value] for value in sorted(by_value)]

    def macros(self, version: str) -> dict[str, int]:
        """Macros with an integer value in one version."""
        return {
            name: int(by[version][0])
            for name, by in self.macro_table.items()
            if version in by and " " not in name
        }

    def redirects(self, version: str, per_thread: bool = False) -> dict[str, str]:
        """Function names that the version's headers turn into another exported name."""
        prefix = "redirect per-thread " if per_thread else "redirect "
        found = {
            name.removeprefix(prefix): by[version][0]
            for name, by in self.macro_table.items()
            if name.startswith(prefix) and version in by
        }
        return {name: target for name, target in found.items() if " " not in name}

    def make_prototype(self, text: str, version: str) -> Prototype:
        result, raw, variadic = ctype.parse_prototype(text)
        types = self.type_table(version)
        params = []
        for param in raw:
            resolved = types.resolve_text(param.type)
            kind = "pointer" if resolved.kind in ("array", "function") else resolved.kind
            size = 8 if kind == "pointer" else resolved.size
            align = 8 if kind == "pointer" else resolved.align
            classes = ("integer",) if kind == "pointer" else types.passing(resolved)
            params.append(Param(param.name, param.type, kind, size, align, classes, param.out,
                                types.homogeneous(resolved)))
        resolved = types.resolve_text(result)
        kind = self._result_kind(result, resolved)
        classes = () if kind == "void" else types.passing(resolved)
        return Prototype(text, result, kind, resolved.size, classes, tuple(params), variadic)

    def _result_kind(self, text: str, resolved: Resolved) -> str:
        if resolved.kind == "void":
            return "void"
        if resolved.kind == "struct":
            return "struct"
        if resolved.tag and resolved.tag == self.status_type:
            return "status"
        if text == "const char *":
            return "string"
        if resolved.kind == "pointer":
            return "pointer"
        return "int" if resolved.kind == "integer" and not resolved.tag else "other"


def common_status_type(database: Database) -> str:
    """The enumeration that the library's functions return: the most frequent result of its newest
    version, if that is an enumeration at all."""
    newest = database.versions[-1]
    results = Counter(
        ctype.parse_prototype(function.texts[newest])[0]
        for function in database.functions.values()
        if function.texts.get(newest, "?") != "?"
    )
    if not results:
        return ""
    resolved = database.type_table(newest).resolve_text(results.most_common(1)[0][0])
    return resolved.tag if resolved.tag.startswith("enum ") else ""


def _in_order(by_version: dict[str, abi_text.Body], versions: list[str]) -> tuple[str, ...]:
    """The bodies, each once, in the order of the last release that has it."""
    newest_first = dict.fromkeys(by_version[version][0] for version in reversed(versions) if version in by_version)
    return tuple(reversed(newest_first))


def load(path: Path) -> Database:
    """The database in the folder `path` (stubs/<library>/abi), with that of what serves its callers."""
    path = Path(path)
    served_by = defaults.served_by(path)
    parts = []
    about: dict[str, str] = {}
    for folder in filter(None, (path, served_by)):
        mine = abi_text.read_versions(folder / "versions.txt")
        if not mine:
            raise FileNotFoundError(f"{folder} holds no ABI database: versions.txt is missing or empty")
        parts.append((folder, abi_text.sort_versions(mine)))
        about.update(mine)

    def harvested(read: Callable[..., Any], file: str) -> Table:
        table: Table = {}
        for folder, releases in parts:
            for key, by in read(folder / file, releases).items():
                table.setdefault(key, {}).update(by)
        return table

    versions = abi_text.sort_versions(about)
    library = path.parent.name
    database = Database(
        path,
        library,
        versions,
        about,
        harvested(abi_text.read_block, "types.txt"),
    )
    database.served_by = served_by
    database.errors_by_version = harvested(abi_text.read_flat, "errors.txt")
    database.macro_table = harvested(abi_text.read_flat, "macros.txt")
    database.enum_table = harvested(abi_text.read_flat, "enums.txt")
    drivers = abi_text.read_versions(path / "drivers.txt")
    database.driver_versions = abi_text.sort_versions(drivers)
    exports = abi_text.read_flat(path / "exports.txt", database.driver_versions)
    database.messages = defaults.driver_messages(path, database.driver_versions)
    database.opaque = defaults.opaque_types(path)
    database.own_releases_of = defaults.own_releases_of(path)
    internals = abi_text.read_internals(path / "internals.txt")
    database.borrowed = frozenset(
        name
        for entries in internals.values()
        for _, text in entries
        for name in re.findall(r"(?:struct|union) \w+@[\d.]+", text)
    )
    declared = harvested(abi_text.read_block, "functions.txt")
    symbol_versions = harvested(abi_text.read_flat, "symbol_versions.txt")
    for name in sorted({*declared, *exports}):
        texts = {version: body[0] for version, body in declared.get(name, {}).items()}
        if not texts:
            # No header of any release has it; a prototype kept by hand holds for all of them.
            texts = dict.fromkeys(versions, "?")
        declared_by = frozenset(version for version, text in texts.items() if text != "?")
        texts, source = defaults.complete(texts, internals.get(name, []), database.major)
        exported = tuple(version for version in versions if version in texts and name in declared)
        by_driver = exports.get(name, {})
        database.functions[name] = Function(
            name,
            exported,
            texts,
            source,
            database,
            tuple(version for version in database.driver_versions if version in by_driver),
            next(
                (
                    int(body[0].split()[1])
                    for body in by_driver.values()
                    if body[0].startswith("data ")
                ),
                0,
            ),
            declared_by,
            _in_order(symbol_versions.get(name, {}), versions),
        )
    for name, by in harvested(abi_text.read_flat, "variables.txt").items():
        size = max(int(body[0].split()[1]) for body in by.values())
        exported = tuple(version for version in versions if version in by)
        database.functions[name] = Function(name, exported, dict.fromkeys(exported, "?"), "unknown", database,
                                            data_size=size, symbol_versions=_in_order(symbol_versions.get(name, {}),
                                                                                      versions))
    database.status_type = common_status_type(database)
    return database
