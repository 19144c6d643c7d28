# SPDX-License-Identifier: Apache-2.0
"""Writes what the stubs in a folder export into the files beside this, when a release is made:

    PYTHONPATH=packaging/python python3 tests/consumers/floor/record.py build/lib

Rows are never removed: a release that would need it must not be published.
"""

import sys
from pathlib import Path

from anycuda.elf import read

HERE = Path(__file__).parent

for stub in sorted(Path(sys.argv[1]).glob("lib*_stub.so")):
    library = stub.name[3:-len("_stub.so")]
    rows: dict[str, set[str]] = {}
    for symbol in read.read(stub).exports():
        rows.setdefault(symbol.name, set()).add(symbol.version)
    lines = [f"# What {stub.name} exports: names, each with versions beside ANYCUDA_NATIVE. Only added to."]
    lines += [" ".join([name, *sorted(rows[name] - {"ANYCUDA_NATIVE"})]) for name in sorted(rows)]
    file = HERE / f"{library}.txt"
    old = set(file.read_text(encoding="utf-8").splitlines()[1:]) if file.exists() else set()
    gone = {line.split()[0] for line in old} - {line.split()[0] for line in lines[1:]}
    if gone:
        sys.exit(f"{library} no longer exports {sorted(gone)}, but docs/versions.md promises to keep every export")
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
