# SPDX-License-Identifier: Apache-2.0
"""Generates the sources of a library's stub and drop-ins: entry points, version scripts and tables.

    PYTHONPATH=stubs/tools python3 -m generate --library cudart --cpu x86_64 --out DIR

writes DIR/stub/{entries.S,versions.map,tables.cc}, the same in DIR/dropin-<major>, what the library
to link with is made of in DIR/link-<major> and DIR/link-native, the archive in DIR/static-<major>, and for
a library with adapters the headers that those are written against in DIR/abi, with the adapters that are generated.
"""

import argparse
import sys
from pathlib import Path

from . import (
    abi_header,
    copy_adapters,
    copy_table,
    cpu,
    descriptor,
    dlopen_note,
    entries,
    libraries,
    library_folders,
    plan,
    tables,
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="generate", description=__doc__.splitlines()[0])
    parser.add_argument("--library", required=True)
    parser.add_argument("--cpu", required=True)
    parser.add_argument("--out", type=Path, required=True)
    library_folders.add_option(parser)
    arguments = parser.parse_args()
    target = cpu.named(arguments.cpu)
    folders = library_folders.chosen(arguments)
    library, driver = folders.descriptor(arguments.library), folders.descriptor("cuda")
    peer = folders.descriptor(library.peer) if library.peer else None
    others = libraries.descriptors(folders)
    if peer:
        descriptor.check_peers(library, peer)
    note = dlopen_note.assembly(dlopen_note.opened(library, driver))
    facts = plan.gather(library, folders.database(arguments.library))
    for major in (0, *(m.number for m in library.majors)):
        made = plan.make(facts, target, major)
        write(arguments.out / (f"dropin-{major}" if major else "stub"),
              {"entries.S": entries.assembly(made, target) + copy_table.assembly(made) + note,
               "versions.map": entries.version_script(made),
               "tables.cc": tables.cplusplus(made, driver, peer, others)})
        if library.callers:  # nobody builds programs for an earlier major
            continue
        if major:  # the drop-in's tables serve the archive too
            write(arguments.out / f"static-{major}",
                  {"entries.S": entries.assembly(made, target, static=True)
                   + copy_table.assembly(made, static=True) + note,
                   "names.txt": entries.static_names(made)})
        if library.has_symbol_versions:
            write(arguments.out / f"link-{major or 'native'}",
                  {"entries.S": entries.link_assembly(made, target),
                   "versions.map": entries.link_version_script(made)})
    if (folders.facts(arguments.library) / "adapters").exists():
        header = abi_header.Header(facts.database, folders.database("cuda"))
        write(arguments.out / "abi",
              {"abi_types.h": header.types(), "abi_calls.h": header.calls(),
               "abi_convert.h": header.conversions(),
               f"{library.name}_adapters.h": header.adapters(facts.dispositions),
               "copies.cc": copy_adapters.copy_adapters(header, facts.dispositions)})
    return 0


def write(folder: Path, files: dict[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (ValueError, OSError) as error:  # what is wrong with the facts, as a sentence
        sys.exit(f"generate: {error}")
