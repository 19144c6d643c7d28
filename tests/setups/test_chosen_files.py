# SPDX-License-Identifier: Apache-2.0
"""The file that each stub opens: nine libraries in four situations in all layouts, each in a separate process.
chosen_files.txt has the expected files. ANYCUDA_UPDATE_PAGE=1 writes it again: then look at the changes."""

from __future__ import annotations

import difflib
import os
import subprocess
import unittest
from concurrent.futures import ThreadPoolExecutor

from build_folder import artifact, build_file
from layouts import LAYOUTS, Cuda
from machine import Machine
from parts import BUILD, HERE, compiled, conda_python
from row import described

EXPECTED = HERE / "chosen_files.txt"
# The name, the artifact and the stub, a function that needs no GPU and writes at most two numbers, the file.
LIBRARIES = {
    "runtime": ("cudart", "cudaPeekAtLastError", "libcudart.so"),
    "NVRTC": ("nvrtc", "nvrtcVersion", "libnvrtc.so"),
    "nvJitLink": ("nvjitlink", "nvJitLinkVersion", "libnvJitLink.so"),
    "cuBLAS": ("cublas", "cublasGetCudartVersion", "libcublas.so"),
    "cuRAND": ("curand", "curandGetVersion", "libcurand.so"),
    "cuDNN": ("cudnn", "cudnnGetVersion", "libcudnn.so"),
    "NCCL": ("nccl", "ncclGetVersion", "libnccl.so"),
    "cuSPARSE": ("cusparse", "cusparseGetErrorName", "libcusparse.so"),
    "cuSOLVER": ("cusolver", "cusolverGetVersion", "libcusolver.so")}
SITUATIONS = ("one CUDA", "two majors", "two majors, driver 535", "two majors, runtime 12 loaded")
_PROCESS = """
import ctypes, sys
stub, function, file, *loaded = sys.argv[1:]
for path in loaded:
    ctypes.CDLL(path)
room = (ctypes.c_uint64 * 2)()
getattr(ctypes.CDLL(stub), function)(ctypes.byref(room), ctypes.byref(room, 8))
class Object(ctypes.Structure):
    _fields_ = [("address", ctypes.c_void_p), ("name", ctypes.c_char_p)]
def visit(found, *_):
    if f"/{file}" in (name := found.contents.name.decode()):
        print(name)
    return 0
ctypes.CDLL(None).dl_iterate_phdr(ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(Object), ctypes.c_size_t, ctypes.c_void_p)(visit), None)
"""


def chosen(layout: str, situation: str, library: str) -> str:
    name, function, file = LIBRARIES[library]
    machine = Machine()
    try:
        cudas = [Cuda(name, 12), Cuda(name, 13)][:1 if situation == "one CUDA" else 2]
        command, loaded = LAYOUTS[layout](machine, cudas), []
        if "driver" in situation:
            machine.driver(535)
        if "loaded" in situation:
            machine.runtime("/opt/app/lib", "12.9")
            loaded = [str(machine.at("/opt/app/lib/libcudart.so.12"))]
        done = subprocess.run([command, "-c", _PROCESS, build_file(f"lib/lib{name}_stub.so"), function, file, *loaded],
                              capture_output=True, text=True, cwd=machine.at("~"), env=machine.variables, timeout=60)
        if done.returncode != 0:
            return f"status {done.returncode}: {done.stderr.strip()[-500:]}"
        return described(machine, done.stdout.split())
    finally:
        machine.close()


class Chosen(unittest.TestCase):
    def test_files_are_the_expected_ones(self) -> None:
        if BUILD.stat().st_dev != artifact("cudart-12.9").stat().st_dev:
            self.skipTest("the cache is on another file system, so each machine would copy its libraries")
        compiled("system_audit.c", "-shared", "-fPIC")  # once, before the machines are made side by side
        conda_python()
        cells = [(layout, situation, library)
                 for layout in LAYOUTS for situation in SITUATIONS for library in LIBRARIES]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            lines = [f"{' | '.join(cell)} | {file}" for cell, file in zip(cells, pool.map(chosen, *zip(*cells)))]
        if os.environ.get("ANYCUDA_UPDATE_PAGE"):
            EXPECTED.write_text("\n".join(lines) + "\n", encoding="utf-8")
        expected = EXPECTED.read_text(encoding="utf-8").splitlines()
        changed = "\n".join(difflib.unified_diff(expected, lines, "expected", "chosen", lineterm="", n=0))
        self.assertFalse(changed, changed)


if __name__ == "__main__":
    unittest.main()
