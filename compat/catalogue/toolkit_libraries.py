# SPDX-License-Identifier: Apache-2.0
"""stubs/*/library.json -> toolkit_libraries.inc, in the build folder: the libraries that a CUDA toolkit has.

    toolkit_libraries.py FILE JSON...

A row has no pointers, which would need relocations when a program starts: how its files' names begin behind "lib",
its name, its wheel's folder, and the number of its SONAME in each CUDA major ("" where it does not exist). No SONAME
is in it as a whole: `anycuda check` would take it for a file that a program with a static stub opens.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from outcomes import write


def is_of_toolkit(library: dict) -> bool:
    """Does NVIDIA number it like CUDA? (The driver, cuDNN and NCCL have their own releases.)"""
    sonames = {row["soname"] for row in library["majors"].values()}
    counts_as_cuda = len(sonames) > 1 or "runtime" in library
    return bool(library["wheel_folders"]) and not library.get("own_releases") and counts_as_cuda


def text(libraries: list[dict]) -> str:
    majors = sorted({int(major) for library in libraries for major in library["majors"]})
    return (f"constexpr int kFirstMajor = {majors[0]};\nconstexpr int kMajors = {len(majors)};\n"
            "struct Row { char stem[12], name[12], wheel[24], numbers[kMajors][6]; };\n"
            "constexpr Row kRows[] = {\n" + "".join(row(library, majors) for library in libraries) + "};\n")


def row(library: dict, majors: list[int]) -> str:
    stem = library["file_prefix"].removeprefix("lib").removesuffix(".so")
    sonames = [library["majors"].get(str(major), {"soname": ""})["soname"] for major in majors]
    numbers = ", ".join(f'"{soname.rpartition(".so.")[2]}"' for soname in sonames)
    return f'    {{"{stem}", "{library["name"]}", "{library["wheel_folders"][0]}", {{{numbers}}}}},\n'


if __name__ == "__main__":
    found = [json.loads(Path(path).read_text(encoding="utf-8")) for path in sorted(sys.argv[2:])]
    write(Path(sys.argv[1]), text([library for library in found if is_of_toolkit(library)]))
