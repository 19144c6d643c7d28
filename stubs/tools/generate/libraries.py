# SPDX-License-Identifier: Apache-2.0
"""Writes the descriptors of all libraries, each with the names and the availability of its symbols.

A search for a library needs them (compat/descriptor/libraries.h).

    PYTHONPATH=stubs/tools python3 -m generate.libraries --out libraries.cc
"""

import argparse
import sys
from pathlib import Path

from . import library_folders, model, plan, tables
from .descriptor import Descriptor
from .library_folders import LibraryFolders


def descriptors(folders: LibraryFolders) -> list[Descriptor]:
    """Of all libraries, in the order of reports."""
    return sorted(map(folders.descriptor, folders.names()), key=lambda library: (library.order, library.name))


def cplusplus(folders: LibraryFolders = LibraryFolders()) -> str:
    libraries = descriptors(folders)
    rows = [f'{{&k{_title(library)}, &k{_title(library)}Symbols, "{library.stub}"}}' for library in libraries]
    return "\n".join([
        '#include "compat/descriptor/libraries.h"\n',
        "// Generated from the ABI database; see stubs/tools/generate/libraries.py.",
        "namespace anycuda {",
        # Of a pair that LTO-IR goes between each names the other.
        *(f"extern const LibraryDescriptor k{_title(library)};" for library in libraries),
        *(_library(library, libraries, folders.database(library.name)) for library in libraries),
        "const Library kLibraries[] = {\n" + ",\n".join(rows) + "};",
        f"const int kLibraryCount = {len(rows)};",
        "}  // namespace anycuda\n",
    ])


def _title(library: Descriptor) -> str:
    """The driver's descriptor is also what the rules find the driver with (compat/descriptor/library.h)."""
    return "Driver" if library.name == "cuda" else library.name.capitalize()


def _library(library: Descriptor, others: list[Descriptor], database: model.Database) -> str:
    """In a separate namespace, except its descriptor, since every library has a pool and symbols."""
    title, data = _title(library), f"{library.name}_data"
    relatives = library.relatives(others)
    releases = tables.releases_of(library, database)
    names, hashes, availability, pool = _symbols(library, database)
    parts = [
        f"namespace {data} {{\nnamespace {{",
        tables.pool_data(pool),
        tables.array("std::uint32_t", "kNames", names),
        tables.array("std::uint32_t", "kHashes", hashes),
        tables.array("ReleaseNames", "kReleases", releases),
        tables.array("Availability", "kAvailability", availability),
        tables.descriptor_data(library, title),
        tables.relatives_data(library, title, [(_title(relative), bond) for relative, bond in relatives]),
        "}  // namespace",
        f"}}  // namespace {data}",
        f"constexpr LibrarySymbols k{title}Symbols = {{",
        f"{data}::kPool, {data}::kNames, {data}::kHashes, {len(names)}, {data}::kAvailability, {data}::kReleases, "
        f"{len(releases)}}};",
        f"using namespace {data};",
        tables.descriptor_rows(library, title, f"&k{library.peer.capitalize()}" if library.peer else "nullptr",
                               len(relatives)),
    ]
    return "\n".join(parts)


def _symbols(library: Descriptor, database: model.Database) -> tuple[list[int], list[int], list[str], tables.Pool]:
    """Names, their hashes and availability as the stub has them (plan.make), and the names' text."""
    functions = sorted((f for f in database.functions.values() if not f.data_size),
                       key=lambda function: function.name.encode())
    planned = plan.Plan(library, database, library.stub, functions, 0)
    pool = tables.Pool()
    names = [pool.add(function.name) for function in functions]
    hashes = [tables.gnu_hash(function.name) for function in functions]
    return names, hashes, tables.availabilities(planned, functions), pool


def main() -> int:
    parser = argparse.ArgumentParser(prog="generate.libraries", description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    library_folders.add_option(parser)
    arguments = parser.parse_args()
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(cplusplus(library_folders.chosen(arguments)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (ValueError, OSError) as error:  # what is wrong with the facts, as a sentence
        sys.exit(f"generate.libraries: {error}")
