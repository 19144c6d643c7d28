# SPDX-License-Identifier: Apache-2.0
"""Writes what the generated headers (stubs/tools/generate/api.py) and NVIDIA's are compared by: a row for each fact
that the newest release and this one both have.

    PYTHONPATH=stubs/tools python3 tests/stubs/api/rows.py --release 12.9 --out rows-12.9

DIR/numbers.inc has SIZE(type), ALIGN(type), OFFSET(type, field) and VALUE(name), DIR/functions.inc FUNCTION(name).
The names are the database's, and no number is: what they come to is for the compiler to say, once with our headers,
once with NVIDIA's.
"""

import argparse
import re
from pathlib import Path

from generate import api, model
from generate.cxx import identifier
from generate.flatten import flatten
from generate.model import Database

STUBS = Path(__file__).parents[3] / "stubs"
# Of headers that include what a machine without a display does not have: cudaGL.h, cudaEGL.h, cudaVDPAU.h.
_ELSEWHERE = re.compile("GL(?!E)|[Ee]gl|VDPAU|vdpau")
# Defined inside a union, and in C++ names of that union: compared, as what has no name, by where its fields are.
_INSIDE = re.compile(r"[.]|CUstreamMemOp\w+Params_st")


def numbers(database: Database, release: str) -> list[str]:
    newest, types = (database.type_table(version) for version in (database.versions[-1], release))
    found = []
    for key in sorted(newest.bodies.keys() & types.bodies.keys()):
        if not key.startswith(("struct ", "union ")) or _INSIDE.search(key) or _ELSEWHERE.search(key):
            continue
        if types.record(key).opaque:
            continue
        name = identifier(key)
        found += [f"SIZE({name})", f"ALIGN({name})"]
        known = {leaf.path for leaf in flatten(newest.record(key), newest)}
        found += [f"OFFSET({name}, {leaf.path})" for leaf in flatten(types.record(key), types) if leaf.path in known]
    for owner, values in sorted(types.enumerators.items()):
        if not _ELSEWHERE.search(owner):
            found += [f"VALUE({name})" for name in values if name in newest.enumerators.get(owner, {})]
    found += [f"VALUE({name})" for name in sorted(newest.macros.keys() & types.macros.keys())
              if name.startswith(("CUDA_", "CU_")) and not _ELSEWHERE.search(name)]
    return found


def functions(database: Database, release: str) -> list[str]:
    return [f"FUNCTION({name})" for name, function in sorted(database.functions.items())
            if function.source == "header" and {release, database.versions[-1]} <= set(function.versions)
            and not name.startswith("__") and not _ELSEWHERE.search(name)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--release", required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    databases = [model.load(STUBS / library / "abi") for library in api.LIBRARIES]
    for name, rows in (("numbers", numbers), ("functions", functions)):
        lines = [line for database in databases for line in rows(database, arguments.release)]
        (arguments.out / f"{name}.inc").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
