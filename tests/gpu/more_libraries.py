# SPDX-License-Identifier: Apache-2.0
"""cuFile, cuSPARSELt and NPP on a GPU: the same calls directly and through the stubs, each in its own process.

    cmake -B build/more -G Ninja -DCMAKE_BUILD_TYPE=Release -DANYCUDA_FETCH=OFF -DANYCUDA_EXTRA_STUBS=$PWD/extra
    cmake --build build/more --target cufile_stub cusparselt_stub nppial_stub
    python3 tests/gpu/more_libraries.py build/more/lib [NAME=FILE...]

NAME=FILE adds a library of another CUDA: cufile=/x/libcufile.so.0. Prints a line for each; the exit status is 0 if the
results through the stub are those of the direct calls.
"""

from __future__ import annotations

import ctypes
import glob
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable

FILES = {"cufile": "libcufile.so.0", "cusparselt": "libcusparseLt.so.0", "nppial": "libnppial.so.13"}
FOLDERS = ("/usr/local/cuda/lib64", *(f"{site}/nvidia/*/lib" for site in sys.path if site.endswith("-packages")))
SIZE = 1 << 20


class FileError(ctypes.Structure):
    _fields_ = [("err", ctypes.c_int), ("driver", ctypes.c_int)]


class FileDescription(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("fd", ctypes.c_void_p), ("operations", ctypes.c_void_p)]


class Size(ctypes.Structure):
    _fields_ = [("width", ctypes.c_int), ("height", ctypes.c_int)]


class StreamContext(ctypes.Structure):  # 48 bytes, on the stack of the call
    _fields_ = [("stream", ctypes.c_void_p), *((name, ctypes.c_int) for name in ("device", "processors", "most_threads",
                "block_threads")), ("shared_memory", ctypes.c_size_t),
                *((name, ctypes.c_int) for name in ("major", "minor", "flags", "reserved"))]


def runtime() -> ctypes.CDLL:
    return ctypes.CDLL(found("libcudart.so.13"))


def found(name: str) -> str:
    return next(path for folder in FOLDERS for path in sorted(glob.glob(f"{folder}/{name}")))


def on_gpu(cuda: ctypes.CDLL, data: bytes) -> ctypes.c_void_p:
    place = ctypes.c_void_p()
    if cuda.cudaMalloc(ctypes.byref(place), ctypes.c_size_t(len(data))) != 0:
        raise RuntimeError("cudaMalloc failed: is there a GPU?")
    cuda.cudaMemcpy(place, data, ctypes.c_size_t(len(data)), 1)
    return place


def from_gpu(cuda: ctypes.CDLL, place: ctypes.c_void_p, size: int) -> bytes:
    data = ctypes.create_string_buffer(size)
    cuda.cudaMemcpy(data, place, ctypes.c_size_t(size), 2)
    return data.raw


def cufile(library: ctypes.CDLL) -> list[object]:
    """Writes the GPU's memory to a file, and reads it into other memory of the GPU."""
    for name in ("cuFileDriverOpen", "cuFileDriverClose", "cuFileGetVersion", "cuFileHandleRegister"):
        getattr(library, name).restype = FileError
    for name in ("cuFileWrite", "cuFileRead"):
        getattr(library, name).restype = ctypes.c_ssize_t
    cuda, data, results = runtime(), os.urandom(SIZE), []
    opened = library.cuFileDriverOpen()
    results.append((opened.err, opened.driver))
    with tempfile.NamedTemporaryFile() as file:
        handle = ctypes.c_void_p()
        direct = os.open(file.name, os.O_RDWR | os.O_DIRECT)
        description = FileDescription(1, direct, None)
        registered = library.cuFileHandleRegister(ctypes.byref(handle), ctypes.byref(description))
        results.append((registered.err, bool(handle)))
        rest = (ctypes.c_size_t(SIZE), ctypes.c_long(0), ctypes.c_long(0))
        results.append(library.cuFileWrite(handle, on_gpu(cuda, data), *rest))
        place = on_gpu(cuda, bytes(SIZE))
        results.append(library.cuFileRead(handle, place, *rest))
        results.append(from_gpu(cuda, place, SIZE) == data)
        results.append(library.cuFileRead(None, place, *rest))
        library.cuFileHandleDeregister(handle)
        os.close(direct)
    results.append(library.cuFileDriverClose().err)
    return results


def cusparselt(library: ctypes.CDLL) -> list[object]:
    def block() -> ctypes.c_void_p:
        memory = ctypes.create_string_buffer(2 * 512)
        blocks.append(memory)
        return ctypes.c_void_p((ctypes.addressof(memory) + 15) & ~15)

    blocks: list[ctypes.Array] = []
    handle, matrix, version = block(), block(), ctypes.c_int(-1)
    results: list[object] = [library.cusparseLtInit(handle)]
    results += [library.cusparseLtGetVersion(handle, ctypes.byref(version)), version.value]
    numbers = [ctypes.c_int64(number) for number in (64, 64, 64)]
    for alignment in (16, 7):  # 7 is invalid
        results.append(library.cusparseLtStructuredDescriptorInit(handle, matrix, *numbers, ctypes.c_uint32(alignment),
                                                                  2, 1, 0))  # CUDA_R_16F, by rows, half of the numbers
    results.append(library.cusparseLtMatDescriptorDestroy(matrix))
    results.append(library.cusparseLtDestroy(handle))
    return results


def nppial(library: ctypes.CDLL) -> list[object]:
    cuda, data = runtime(), os.urandom(SIZE)
    source, target = on_gpu(cuda, data), on_gpu(cuda, bytes(SIZE))
    context = StreamContext(None, 0, 132, 2048, 1024, 49152, 9, 0, 0, 0)
    line = 1024
    call = library.nppiAddC_8u_C1RSfs_Ctx
    results: list[object] = [call(source, line, ctypes.c_ubyte(3), target, line, Size(line, SIZE // line), 0, context)]
    cuda.cudaDeviceSynchronize()
    results.append(from_gpu(cuda, target, SIZE) == bytes(min(255, one + 3) for one in data))
    results.append(call(None, line, ctypes.c_ubyte(3), target, line, Size(line, 1), 0, context))
    return results


CHECKS: dict[str, Callable[[ctypes.CDLL], list]] = {"cufile": cufile, "cusparselt": cusparselt, "nppial": nppial}


def results_of(name: str, file: str, variable: str = "") -> str:
    """In a separate process: a library may take minutes to give up."""
    chosen = {f"ANYCUDA_{name.upper()}": variable} if variable else {}
    # Without NVIDIA's kernel module for files, cuFile reads and writes as read() and write() do.
    environment = {**os.environ, "CUFILE_ALLOW_COMPAT_MODE": "true", **chosen}
    try:
        done = subprocess.run([sys.executable, __file__, "--one", name, file], env=environment, text=True,
                              capture_output=True, timeout=100, cwd=tempfile.gettempdir())
    except subprocess.TimeoutExpired:
        return "no result in 100 seconds"
    lines = done.stdout.splitlines()
    return lines[-1] if done.returncode == 0 and lines else f"exit status {done.returncode}: {done.stderr[-600:]}"


def main(stubs: str, others: list[str]) -> int:
    wrong = 0
    cases = [(name, found(file), "") for name, file in FILES.items()]
    cases += [(name, file, file) for name, _, file in (other.partition("=") for other in others)]
    for name, file, variable in cases:
        direct = results_of(name, file)
        stub = results_of(name, f"{stubs}/lib{name}_stub.so", variable)
        same = direct == stub and direct.startswith("[")
        wrong += not same
        print(f"{'ok' if same else 'DIFFERS'} {name}, {file}: directly {direct}; through the stub {stub}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    if sys.argv[1] == "--one":
        print(CHECKS[sys.argv[2]](ctypes.CDLL(sys.argv[3])))
    else:
        sys.exit(main(os.path.abspath(sys.argv[1]), sys.argv[2:]))
