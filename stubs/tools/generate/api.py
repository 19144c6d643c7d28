# SPDX-License-Identifier: Apache-2.0
"""Writes api/<library>_api.h, the headers for anycuda's C++ code that calls CUDA through the stubs.

They replace NVIDIA's headers, so that building needs no CUDA:

    PYTHONPATH=stubs/tools python3 -m generate.api --out DIR      # DIR/api/{cuda,nvrtc,nvjitlink}_api.h
    PYTHONPATH=stubs/tools python3 -m generate.api --out DIR --for-programs nccl cudnn

They say what the newest release says, in `namespace anycuda::api`: types with NVIDIA's names and fields,
enumerations as their integers, enumerators and integer macros as constants, functions by exported names
(`cuLinkCreate_v2`; NVIDIA's header calls that cuLinkCreate). Types that NVIDIA keeps to itself are NVIDIA's own,
`::CUgraph_st`: a function that takes a CUgraph has the same C++ name in code that was compiled with <cuda.h>.
No file may include both: the same C functions would have two types.

A library that has symbol versions is called under the stub's own, whatever else is linked: a program may link
lib/link/12/libnvrtc.so for its own calls. With --for-programs the symbol version is that of the library which a program
is linked with: tests build programs with these headers where NVIDIA's come only in a wheel of several hundred MB.
"""

import argparse
import sys
from pathlib import Path

from . import ctype, descriptor, model
from .abi_header import decayed, newest_text
from .cxx import Space, Writer
from .layout import UnknownType
from .model import Database
from .plan import NATIVE_VERSION

LIBRARIES = ("cuda", "nvrtc", "nvjitlink")
_TOP = "// Generated from the ABI database; see stubs/tools/generate/api.py.\n#pragma once\n"
# In a separate header: a template may be defined only once.
TYPE_TEMPLATES = _TOP + """#include <cstddef>

namespace anycuda::api {
template <typename Result, typename... Arguments>
using Function = Result(Arguments...);
template <typename Element, std::size_t Count>
using Array = Element[Count];
}  // namespace anycuda::api
"""


def header(database: Database, version: str = "") -> str:
    """One library's header; `version`: the symbol version that its functions are called under."""
    writer = Writer(opaque_space="")
    space = writer.add("api", database.type_table(database.versions[-1]))
    parts = [_TOP + '#include "api/type_templates.h"\n', writer.opaque_types(), "namespace anycuda::api {",
             writer.definitions(space), 'extern "C" {', *declarations(writer, space, database, version),
             '}  // extern "C"', "}  // namespace anycuda::api"]
    return "\n".join(parts) + "\n"


def declarations(writer: Writer, space: Space, database: Database, version: str) -> list[str]:
    """Every documented function: names that begin with two underscores are the headers' own business. A function
    whose types the newest release no longer has is left out: nobody who is written today can call it."""
    lines = []
    for name, function in sorted(database.functions.items()):
        text = newest_text(function, database.versions)
        if name.startswith("__") or not text:
            continue
        result, params, variadic = ctype.parse_prototype(text)
        try:
            parameters = [f"{writer.spell(space, decayed(param.type))} {param.name}" for param in params]
            lines.append(f"{writer.spell(space, result)} {name}({', '.join(parameters + ['...'] * variadic)});")
        except UnknownType:
            continue
        if version:
            lines.append(f'__asm__(".symver {name}, {name}@{version}");')
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(prog="generate.api", description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--for-programs", nargs="+", default=[], metavar="LIBRARY",
                        help="write the headers of only these libraries, without symbol versions, for the tests' "
                             "programs")
    options = parser.parse_args()
    folder = options.out / "api"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "type_templates.h").write_text(TYPE_TEMPLATES, encoding="utf-8")
    stubs = Path(__file__).parents[2]
    for library in options.for_programs or LIBRARIES:
        has_symbol_versions = (not options.for_programs
                               and descriptor.load(stubs / library / "library.json").has_symbol_versions)
        text = header(model.load(stubs / library / "abi"), NATIVE_VERSION if has_symbol_versions else "")
        (folder / f"{library}_api.h").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
