"""What `anycuda doctor` searches with: each library's descriptor and, of its tables, the names and the
history of its symbols. There is nothing to call in them.

    PYTHONPATH=stubs python3 -m generate.doctor --out libraries.cc
"""

import argparse
import sys
from pathlib import Path

from . import descriptor, model, plan, tables
from .descriptor import Descriptor

STUBS = Path(__file__).parent.parent
LIBRARIES = ("cudart", "nvrtc", "nvjitlink", "cuda")  # in the order in which people are told of them


def cplusplus() -> str:
    libraries = [descriptor.load(STUBS / name / "library.json") for name in LIBRARIES]
    rows = [f'{{&k{_title(library)}, &k{_title(library)}Tables, "{library.stub}"}}' for library in libraries]
    return "\n".join([
        '#include "doctor/libraries.h"\n',
        "// Generated from the ABI database; see stubs/generate/doctor.py.",
        "namespace anycuda {",
        # Of a pair that LTO-IR goes between each names the other.
        *(f"extern const LibraryDescriptor k{_title(library)};" for library in libraries),
        *map(_library, libraries),
        "namespace doctor {",
        "const Library kLibraries[] = {\n" + ",\n".join(rows) + "};",
        f"const int kLibraryCount = {len(rows)};",
        "}  // namespace doctor",
        "}  // namespace anycuda\n",
    ])


def _title(library: Descriptor) -> str:
    """The driver's descriptor is also what the rules find the driver with (loader/library.h)."""
    return "Driver" if library.is_driver else library.name.capitalize()


def _library(library: Descriptor) -> str:
    """In a namespace of its own, since every library has a pool and symbols; but for its descriptor."""
    title = _title(library)
    symbols, history, pool = _symbols(library)
    parts = [
        f"namespace {library.name}_data {{\nnamespace {{",
        tables.pool_data(pool),
        tables.array("SymbolRow", "kSymbols", symbols),
        tables.array("History", "kHistory", history),
        "constexpr Tables search_tables() {\n  Tables tables{};\n  tables.pool = kPool;\n  tables.symbols = kSymbols;\n"
        f"  tables.symbol_count = {len(symbols)};\n  tables.history = kHistory;\n  return tables;\n}}",
        tables.descriptor_data(library, title),
        "}  // namespace",
        f"}}  // namespace {library.name}_data",
        f"using namespace {library.name}_data;",
        tables.descriptor_rows(library, title, f"&k{library.partner.capitalize()}" if library.partner else "nullptr"),
        f"constexpr Tables k{title}Tables = {library.name}_data::search_tables();",
    ]
    return "\n".join(parts)


def _symbols(library: Descriptor) -> tuple[list[tuple], list[str], tables.Pool]:
    """Rows, history and names as the stub has them (plan.make), without what it would call."""
    database = model.load(STUBS / "abi" / library.name)
    functions = sorted((f for f in database.functions.values() if not f.data_size),
                       key=lambda function: function.name.encode())
    planned = plan.Plan(library, database, library.stub, functions, 0)
    pool = tables.Pool()
    rows = [(pool.add(function.name), "ResultKind::status", 0, "Role::plain", 0) for function in functions]
    history = [value for function in functions for value in tables.history_of(planned, function)]
    return rows, history, pool


def main() -> int:
    parser = argparse.ArgumentParser(prog="generate.doctor", description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(cplusplus(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (ValueError, OSError) as error:  # what is wrong with the facts, as a sentence
        sys.exit(f"generate.doctor: {error}")
