#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adds to the matrix page's folder what the page needs to check files.

That is Pyodide, the command's package, and its reader of device code as WebAssembly.

    python3 tools/site/check_files.py build/site.pages/matrix --pyodide FOLDER --lz4 FOLDER --zstd FOLDER
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "packaging/python"
_FLAGS = ("-Os", "-DNDEBUG", "-fno-exceptions", "-Wall", "-Wextra")
_LINK = ("-sMODULARIZE", "-sEXPORT_ES6", "-sENVIRONMENT=worker", "-sALLOW_MEMORY_GROWTH", "-sMAXIMUM_MEMORY=4GB",
         "-sINVOKE_RUN=0", "-sEXIT_RUNTIME=1", "-sEXPORTED_RUNTIME_METHODS=callMain,FS")


def package(out: Path) -> None:
    """The same bytes from the same files."""
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        files = (file for pattern in ("*.py", "*.json") for file in (PACKAGE / "anycuda").rglob(pattern))
        for file in sorted(files):
            info = zipfile.ZipInfo(file.relative_to(PACKAGE).as_posix())
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, file.read_bytes())


def device_code(out: Path, lz4: Path, zstd: Path) -> None:
    """anycuda-device-code by Emscripten: device_code.mjs and device_code.wasm."""
    if not shutil.which("em++"):
        sys.exit("tools/site/check_files.py: em++ is missing: install Emscripten (Debian package emscripten)")
    # Emscripten of Debian uses JavaScript modules of Debian, which a Node.js of another source does not look for.
    environment = {"NODE_PATH": "/usr/share/nodejs", **os.environ}
    headers = (next(lz4.rglob("lz4.h")).parent, next(zstd.rglob("zstd.h")).parent)
    with tempfile.TemporaryDirectory() as work:
        libraries = sorted([*lz4.rglob("*.c"), *zstd.rglob("*.c")])
        for source in libraries:  # theirs, so their warnings are not errors
            subprocess.run(["emcc", "-Os", "-DNDEBUG", "-w", "-c", source, "-o", f"{work}/{source.stem}.o"], check=True,
                           env=environment)
        sources = sorted([*(ROOT / "device_code").glob("*.cc"), *(ROOT / "device_code/program").glob("*.cc")])
        subprocess.run(["em++", "-std=c++17", *_FLAGS, "-DANYCUDA_HAS_LZ4", "-DANYCUDA_HAS_ZSTD",
                        *(f"-I{folder}" for folder in (ROOT, ROOT / "compat/include", *headers)), *sources,
                        *sorted(Path(work).glob("*.o")), *_LINK, "-o", out / "device_code.mjs"], check=True,
                       env=environment)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, metavar="FOLDER", help="the page's folder, which write_pages.py made")
    for name in ("pyodide", "lz4", "zstd"):
        parser.add_argument(f"--{name}", type=Path, metavar="FOLDER", required=True)
    arguments = parser.parse_args()
    shutil.copytree(arguments.pyodide, arguments.out / "pyodide")
    package(arguments.out / "anycuda.zip")
    device_code(arguments.out, arguments.lz4, arguments.zstd)
    return 0


if __name__ == "__main__":
    sys.exit(main())
