# SPDX-License-Identifier: Apache-2.0
"""The file `symbols` of the package libanycuda, by which dpkg-shlibdeps finds the package that a program needs
(deb-symbols(5)). The stubs have no version in their names, so a file `shlibs` cannot do this.

    symbols.py OUT VERSION STUB...
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

from anycuda.elf import read  # noqa: E402


def lines(stub: Path, version: str) -> list[str]:
    """`version` for each function: no release removes one, but earlier releases may lack it."""
    image = read.read(stub)
    names = sorted({f"{symbol.name}@{symbol.version or 'Base'}" for symbol in image.exports()})
    return [f"{image.soname} libanycuda #MINVER#", *(f" {name} {version}" for name in names)]


def main() -> None:
    out, version, *stubs = sys.argv[1:]
    text = "".join(f"{line}\n" for stub in sorted(stubs) for line in lines(Path(stub), version))
    Path(out).parent.mkdir(parents=True, exist_ok=True)
    Path(out).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
