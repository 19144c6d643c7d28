# SPDX-License-Identifier: Apache-2.0
"""A program: loaded_by_a_call.py STUB FUNCTION VERSION PART prints the file that a call through the stub loads."""

import ctypes
import sys
from pathlib import Path


def loaded_by_a_call(stub: str, function: str, symbol_version: str, part: str) -> str:
    """Calls the stub's entry of that symbol version, as a program built for it does; the file that is then loaded."""
    find = ctypes.CDLL(None).dlvsym
    find.restype, find.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p]
    address = find(ctypes.CDLL(stub)._handle, function.encode(), symbol_version.encode())
    numbers = (ctypes.c_int * 8)()
    ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(address)(numbers, ctypes.byref(numbers, 16))
    paths = {line.split(maxsplit=5)[5].strip() for line in Path("/proc/self/maps").read_text().splitlines()
             if "/" in line}
    found = sorted(path for path in paths if Path(path).name.startswith(part))
    return " ".join(found)


if __name__ == "__main__":
    print(loaded_by_a_call(*sys.argv[1:]))
