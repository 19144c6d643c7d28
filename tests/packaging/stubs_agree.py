# SPDX-License-Identifier: Apache-2.0
"""Does the matrix say what the built stubs do? With each real library that is in the cache, every call
that the matrix of the build calls absent or rejected is made through the stub, from every major's symbol version:
it must return the status that stands for that. (No test_ in the name: it needs a build, and is started by
packaging/CMakeLists.txt with the build folder in ANYCUDA_BUILD.)
"""

import ctypes
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("ANYCUDA_BUILD", "build/test"))


def descriptor(library: str) -> dict:
    return json.loads((ROOT / "stubs" / library / "library.json").read_text())


def real_library(library: str, release: str) -> Path | None:
    command = [sys.executable, ROOT / "tools" / "fetch" / "fetch.py", "path", f"{library}-{release}"]
    done = subprocess.run(command, capture_output=True, text=True)
    prefix = descriptor(library)["file_prefix"]
    found = Path(done.stdout.strip()).rglob(f"{prefix}*") if done.returncode == 0 else ()
    return next((path for path in sorted(found) if not path.is_symlink()), None)


def call_all(library: str, wanted: list[dict]) -> list[str]:
    """The differences, as lines. Runs in a separate process, since a stub opens one library."""
    about = descriptor(library)
    find = ctypes.CDLL(None).dlvsym
    find.restype, find.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p]
    stub = ctypes.CDLL(str(BUILD / "lib" / about["stub"]))
    nothing = [None] * 10  # should the call reach a real function after all, it is given nothing
    different = []
    for cell in wanted:
        symbol_version = about["majors"][cell["caller"]]["node"]
        address = find(stub._handle, cell["symbol"].encode(), symbol_version.encode())
        call = address and ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * len(nothing))(address)
        status = call(*nothing) if call else "no such symbol"
        if status != about["status"][cell["kind"]]:
            different.append(f"{cell['symbol']} for {cell['caller']}: {cell['kind']}, but {status}")
    return different


class StubsAgree(unittest.TestCase):
    def check(self, library: str) -> None:
        # The stub takes registrations itself, before any library is open.
        builtin = descriptor(library).get("builtin", {})
        done = subprocess.run([BUILD / "bin" / "anycuda", "matrix", "--json", "--library", library,
                               "--kind", "absent,rejected"], capture_output=True, text=True, check=True)
        matrix = json.loads(done.stdout)
        checked = 0
        for release in matrix["libraries"][library]["runtimes"]:
            path = real_library(library, release)
            if path is None:
                print(f"left out: {library} {release} is not in the cache", file=sys.stderr)
                continue
            wanted = [cell for cell in matrix["cells"]
                      if release in cell["runtimes"] and cell["symbol"] not in builtin]
            self.assertEqual(self.differences(library, path, wanted), [], f"{library} {release}")
            checked += len(wanted)
        self.assertTrue(checked, "no library was there to be tried")

    def differences(self, library: str, path: Path, wanted: list[dict]) -> list[str]:
        with tempfile.TemporaryDirectory() as empty:
            environment = {name: value for name, value in os.environ.items()
                           if not name.startswith(("ANYCUDA_", "LD_", "CUDA_"))}
            # Without a driver no runtime is too new for it.
            environment.update({f"ANYCUDA_{library.upper()}": str(path), "ANYCUDA_SYSTEM_ROOT": empty,
                                "ANYCUDA_LOG": "off", "ANYCUDA_BUILD": str(BUILD.resolve())})
            done = subprocess.run([sys.executable, __file__, library], input=json.dumps(wanted),
                                  capture_output=True, text=True, env=environment)
        self.assertEqual((done.returncode, done.stderr), (0, ""), path)
        return json.loads(done.stdout)

    def test_cudart(self):
        self.check("cudart")

    def test_nvrtc(self):
        self.check("nvrtc")

    def test_nvjitlink(self):
        self.check("nvjitlink")


if __name__ == "__main__":
    print(json.dumps(call_all(sys.argv[1], json.load(sys.stdin))))
