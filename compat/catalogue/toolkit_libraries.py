# SPDX-License-Identifier: Apache-2.0
"""stubs/*/library.json -> toolkit_libraries.inc, in the build folder: the libraries that a CUDA toolkit has.

    toolkit_libraries.py FILE JSON...

A row is a text without pointers, which needs no relocation when a program starts: the library's name, its wheel's
folder, and its SONAME in each CUDA major ("" where it does not exist), each ended by a zero. SONAMEs are without "lib":
as whole names, `anycuda check` would take them for files that a program with a static stub opens.
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
    rows = "".join('    "' + "".join(f"{part}\\0" for part in (
        library["name"], library["wheel_folders"][0],
        *(library["majors"].get(str(major), {"soname": ""})["soname"].removeprefix("lib") for major in majors))) + '"\n'
        for library in libraries)
    return (f"constexpr int kFirstMajor = {majors[0]}, kLastMajor = {majors[-1]};\n"
            f"alignas(1) constexpr char kToolkitLibraries[] =\n{rows};\n")


if __name__ == "__main__":
    found = [json.loads(Path(path).read_text(encoding="utf-8")) for path in sorted(sys.argv[2:])]
    write(Path(sys.argv[1]), text([library for library in found if is_of_toolkit(library)]))
