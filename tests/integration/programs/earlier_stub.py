# SPDX-License-Identifier: Apache-2.0
"""Generates the runtime's stub as an earlier anycuda had it, which knows CUDA 11 and 12 and no later one.

    PYTHONPATH=stubs/tools python3 earlier_stub.py --cpu x86_64 --out DIR
"""

import argparse
from dataclasses import replace
from pathlib import Path

from generate import copy_table, cpu, entries, library_folders, plan, tables
from generate.__main__ import write


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cpu", required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    target = cpu.named(arguments.cpu)
    folders = library_folders.LibraryFolders()
    library = folders.descriptor("cudart")
    earlier = replace(library, majors=tuple(major for major in library.majors if major.number < 13))
    facts = plan.gather(library, folders.database("cudart"))
    made = plan.make(replace(facts, descriptor=earlier), target)
    write(arguments.out, {"entries.S": entries.assembly(made, target) + copy_table.assembly(made),
                          "versions.map": entries.version_script(made),
                          "tables.cc": tables.cplusplus(made, folders.descriptor("cuda"))})


if __name__ == "__main__":
    main()
