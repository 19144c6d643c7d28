# SPDX-License-Identifier: Apache-2.0
"""Writes the C source of a fake CUDA library: every core function of a major as a weak one that
returns 0, so that a fake of a few lines passes the loader's check for completeness, also when the
core grows. Beside it the version script that gives its names that major's ELF version."""

import argparse
from pathlib import Path

from generate import descriptor


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--descriptor", type=Path, required=True, help="stubs/<library>/library.json")
    parser.add_argument("--major", type=int, required=True)
    parser.add_argument("--out", type=Path, required=True, help="folder for core.c and versions.map")
    arguments = parser.parse_args()
    library = descriptor.load(arguments.descriptor)
    major = next(m for m in library.majors if m.number == arguments.major)
    functions = [f"__attribute__((weak)) int {name}(void) {{ return 0; }}"
                 for name in sorted(library.required_symbols[major.number])]
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "core.c").write_text("\n".join(functions) + "\n", encoding="utf-8")
    version = f"{major.symbol_version} " if major.symbol_version else ""
    (arguments.out / "versions.map").write_text(f"{version}{{ global: *; }};\n", encoding="utf-8")


if __name__ == "__main__":
    main()
