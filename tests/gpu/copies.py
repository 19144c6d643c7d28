# SPDX-License-Identifier: Apache-2.0
"""Several copies of the runtime's stub in a process with a GPU (docs/copies.md): a plugin that nvcc builds here is
linked to an earlier stub beside a later one, and to the static stub.

    cmake --preset dev && cmake --build --preset dev --target cudart_stub link_cudart_13 static_cudart_13
    python3 tests/gpu/copies.py build/dev/lib

Needs nvcc and the runtime of CUDA 13 where the stubs find it. Prints a line for each check; the exit status is 0 if all
are right.
"""

import _ctypes
import ctypes
import os
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
TABLE = (24 + 12 * 4, 2)  # size and protocol of a copy's table; the version follows
RELOADS = 200


def earlier(stub: bytes) -> bytes:
    """The stub, with version 0.0.1 in its table."""
    head = struct.pack("<II", *TABLE)
    places = [at for at in range(0, len(stub) - 12, 8) if stub[at:at + 8] == head]
    if len(places) != 1:
        raise ValueError(f"{len(places)} tables of a copy in the stub: expected one")
    at = places[0] + len(head)
    return stub[:at] + struct.pack("<I", 1) + stub[at + 4:]


def build(library: Path, folder: Path) -> None:
    stub = (library / "libcudart_stub.so").read_bytes()
    (folder / "earlier").mkdir()
    (folder / "earlier" / "libcudart_stub.so").write_bytes(earlier(stub))
    # Of two files with one SONAME, the dynamic linker loads the first.
    (folder / "later.so").write_bytes(stub.replace(b"libcudart_stub.so\0", b"libcudart_late.so\0"))
    for name, link in (("shared", [library / "link/13/libcudart.so", "-Xlinker", f"-rpath={folder}/earlier"]),
                       ("static", [library / "static/13/libcudart.a", "-ldl"])):
        subprocess.run(["nvcc", "-arch=native", "-shared", "-cudart", "none", "-Xcompiler", "-fPIC",
                        FOLDER / "copies.cu", "-o", folder / f"{name}.so", *link], check=True)


def served(folder: Path) -> bool:
    """The later stub is loaded, and handles the calls of the plugin's earlier one."""
    ctypes.CDLL(str(folder / "later.so"))
    plugin = ctypes.CDLL(str(folder / "shared.so"))
    answers = [plugin.run(1), plugin.run(2), plugin.fail(), plugin.last_error(), plugin.last_error()]
    return answers == [32, 64, 101, 101, 0]


def too_late(folder: Path) -> bool:
    """The later stub is loaded after the first call."""
    plugin = ctypes.CDLL(str(folder / "shared.so"))
    before = plugin.run(1)
    ctypes.CDLL(str(folder / "later.so"))
    return [before, plugin.run(2)] == [32, 64]


def reloaded(folder: Path) -> bool:
    """The plugin with the static stub is loaded, called and unloaded, and nothing of it stays."""
    for _ in range(RELOADS):
        plugin = ctypes.CDLL(str(folder / "static.so"))
        right = plugin.run(3) == 96
        _ctypes.dlclose(plugin._handle)
        if not right or "/static.so" in Path("/proc/self/maps").read_text(encoding="utf-8"):
            return False
    return True


def reloaded_beside_a_stub(folder: Path) -> bool:
    stub = ctypes.CDLL(str(folder / "later.so"))
    devices = ctypes.c_int()
    return stub.cudaGetDeviceCount(ctypes.byref(devices)) == 0 and reloaded(folder)


CHECKS = (served, too_late, reloaded, reloaded_beside_a_stub)


def main() -> int:
    if len(sys.argv) == 3:  # one check, in a separate process
        return 0 if {check.__name__: check for check in CHECKS}[sys.argv[2]](Path(sys.argv[1])) else 1
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        build(Path(sys.argv[1]).resolve(), Path(folder))
        for check in CHECKS:
            done = subprocess.run([sys.executable, __file__, folder, check.__name__], env=os.environ)
            print(f"{check.__name__}: {'ok' if done.returncode == 0 else f'WRONG, exit status {done.returncode}'}")
            wrong += done.returncode != 0
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
