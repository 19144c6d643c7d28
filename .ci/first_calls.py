#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Calls the CUDA runtime through the stub, on a machine without a driver and without CUDA in the system's folders.

    first_calls.py STUBS none|12.9

STUBS is the folder that `anycuda config --stubs` prints; the second word is the CUDA that the stub must load.
"""

from __future__ import annotations

import ctypes
import os
import sys
import tempfile
from pathlib import Path

NO_DRIVER = (35, 100)  # cudaErrorInsufficientDriver, cudaErrorNoDevice


def calls(stub: Path) -> tuple[int, int, int]:
    """Status and value of cudaRuntimeGetVersion, status of cudaGetDeviceCount."""
    library = ctypes.CDLL(str(stub))
    version, count = ctypes.c_int(-1), ctypes.c_int(-1)
    status = library.cudaRuntimeGetVersion(ctypes.byref(version))
    return status, version.value, library.cudaGetDeviceCount(ctypes.byref(count))


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    folder, wanted = Path(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory() as empty:
        # The stub reads them in its first call. Loaded libraries and Python's packages count in any case.
        for name in ("LD_LIBRARY_PATH", "CUDA_PATH", "CUDA_HOME", "CUDA_ROOT", "ANYCUDA_CUDART"):
            os.environ.pop(name, None)
        os.environ["ANYCUDA_SYSTEM_ROOT"] = empty
        status, version, devices = calls(folder / "libcudart_stub.so")
    got = "none" if status else f"{version // 1000}.{version % 1000 // 10}"
    print(f"first_calls.py: CUDA runtime {got}; cudaGetDeviceCount returns {devices}")
    if got != wanted:
        print(f"first_calls.py: expected CUDA runtime {wanted}, but the stub loaded {got} (status {status})",
              file=sys.stderr)
        return 1
    if devices not in NO_DRIVER:
        print(f"first_calls.py: cudaGetDeviceCount returned {devices}; without a driver it is one of {NO_DRIVER}",
              file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
