# SPDX-License-Identifier: Apache-2.0
"""One release: its headers and its library file together, cut to what a caller can reach."""

from pathlib import Path

from anycuda.elf import read as elf
from generate import abi_text

from . import errors, headers
from .libraries import LibraryRow
from .merge import Release, reachable

Internals = dict[str, list[tuple[frozenset[str], str]]]


def make(
    row: LibraryRow,
    version: str,
    header_folder: Path,
    library_file: Path,
    internals: Internals,
    package: str = "",
    beside: tuple[Path, ...] = (),
    libraries: tuple[Path, ...] = (),
) -> Release:
    """Facts of one version of a library whose exports define what belongs to it. `beside` are folders of headers that
    its own include, `libraries` folders of libraries that it needs."""
    header_facts = headers.read(header_folder, row, beside)
    _check_version(header_facts, row, version, header_folder)
    library = elf.read(library_file)
    exported = sorted({symbol.name for symbol in library.exports() if symbol.function})
    # A stub with other functions, such as those of libstdc++, would replace them in the whole program.
    names = [name for name in exported if name in header_facts.declared or name.startswith(row.prefixes)]
    about = [f"package {package}"] if package else []
    about += [
        f"soname {library.soname}",
        f"node {','.join(library.versions_defined) or '-'}",
        f"exports {len(names)}",
    ]
    release = Release(version, "  ".join(about), left_out=sorted({*exported} - {*names}))
    variables = {symbol.name: symbol for symbol in library.exports()
                 if not symbol.function and symbol.size and symbol.name in header_facts.variables}
    release.variables = {name: f"size {symbol.size}" for name, symbol in variables.items()}
    release.symbol_versions = _symbol_versions(library, [*names, *variables])
    for name in names:
        release.functions[name] = header_facts.prototypes.get(name) or header_facts.inlines.get(name, "?")
    _fill(release, header_facts, internals)
    release.errors = errors.read(row, library_file, header_facts.enums.get(row.status_enum, {}), libraries)
    return release


def _symbol_versions(library: elf.Image, names: list[str]) -> dict[str, str]:
    """The symbol version of each function, if the library has several: cuTENSOR's tell when a function was added. The
    default version of a name that has two."""
    exports = sorted(library.exports(), key=lambda symbol: symbol.default)
    found = {symbol.name: symbol.version for symbol in exports if symbol.version}
    mine = {name: found[name] for name in names if name in found}
    return mine if len(set(mine.values())) > 1 else {}


def make_declared(
    row: LibraryRow, version: str, header_folder: Path, internals: Internals, package: str = ""
) -> Release:
    """Facts of one header release where the library comes from elsewhere (the driver)."""
    header_facts = headers.read(header_folder, row)
    _check_version(header_facts, row, version, header_folder)
    about = [f"package {package}"] if package else []
    release = Release(version, "  ".join([*about, f"declares {len(header_facts.prototypes)}"]))
    release.functions = dict(header_facts.prototypes)
    _fill(release, header_facts, internals)
    return release


def make_driver(
    row: LibraryRow, version: str, library_file: Path, values: dict[str, int], package: str = ""
) -> Release:
    """What a driver library exports, and its words for the status values that headers define."""
    library = elf.read(library_file)
    about = [f"package {package}"] if package else []
    symbols = {
        symbol.name: "function" if symbol.function else f"data {symbol.size}"
        for symbol in library.exports()
    }
    release = Release(
        version, "  ".join([*about, f"soname {library.soname}", f"exports {len(symbols)}"])
    )
    release.exports = symbols
    release.errors = errors.read(row, library_file, values)
    return release


def _fill(release: Release, header_facts: headers.HeaderFacts, internals: Internals) -> None:
    """Types, enumerators and macros that belong to the release's functions."""
    prototypes = []
    for name, text in release.functions.items():
        if text == "?":
            text = abi_text.internal_body(internals.get(name, []), abi_text.major_of(release.version))
        if text:
            prototypes.append(text)
    keys = reachable(prototypes, header_facts.types)
    release.types = {key: header_facts.types[key] for key in keys}
    release.enums = {key: header_facts.enums[key] for key in keys if key in header_facts.enums}
    release.macros = dict(header_facts.macros)
    for name, target in header_facts.redirects.items():
        if target in release.functions:
            release.macros[f"redirect {name}"] = target


def _check_version(header_facts: headers.HeaderFacts, row: LibraryRow, version: str, folder: Path) -> None:
    """The headers say which release they are: a wrong label would poison the database."""
    text = header_facts.macros.get(row.version_macro, "")
    if not text:
        return
    number = int(text)
    found = f"{number // 1000}.{number % 1000 // 10}"
    if found != ".".join(version.split(".")[:2]):
        raise headers.HeaderError(
            f"{folder} holds the headers of {found}, not of {version} "
            f"({row.version_macro} is {number})"
        )
