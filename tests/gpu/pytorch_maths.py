# SPDX-License-Identifier: Apache-2.0
"""PyTorch and the stubs of cuBLAS and cuBLASLt in one process.

    python3 pytorch_maths.py STUBS      STUBS: their folder

The stubs must take the libraries that PyTorch has loaded; what is computed by them on a stream of PyTorch's must be
PyTorch's result, and PyTorch must go on. Exit status 0 if so.
"""

import ctypes
import sys
from ctypes import byref, c_float, c_int, c_size_t, c_void_p

import torch

SIZE = 96


def check(holds: bool, what: str) -> None:
    if not holds:
        sys.exit(f"not as expected: {what}")
    print(f"ok {what}")


def mapped(name: str) -> set[str]:
    with open("/proc/self/maps", encoding="utf-8") as maps:
        paths = {line.split(maxsplit=5)[5].strip() for line in maps if name in line}
    return {path for path in paths if "_stub" not in path}


def call(library: ctypes.CDLL, name: str, *arguments: object) -> None:
    status = getattr(library, name)(*arguments)
    check(status == 0, f"{name} (status {status})")


def product(blas: ctypes.CDLL) -> None:
    """By columns, where PyTorch has rows: C' = B' A'."""
    handle = c_void_p()
    call(blas, "cublasCreate_v2", byref(handle))
    stream = torch.cuda.Stream()
    a, b = (torch.randn(SIZE, SIZE, device="cuda") for _ in range(2))
    torch.cuda.synchronize()
    one, zero = c_float(1), c_float(0)
    with torch.cuda.stream(stream):
        doubled = a * 2
        c = torch.empty(SIZE, SIZE, device="cuda")
        call(blas, "cublasSetStream_v2", handle, c_void_p(stream.cuda_stream))
        call(blas, "cublasSgemm_v2", handle, 0, 0, SIZE, SIZE, SIZE, byref(one), c_void_p(b.data_ptr()), SIZE,
             c_void_p(doubled.data_ptr()), SIZE, byref(zero), c_void_p(c.data_ptr()), SIZE)
        after = c + 1
    stream.synchronize()
    want = (a.double() * 2) @ b.double()
    check(bool(torch.allclose(c.double(), want, atol=1e-2)), "a product on PyTorch's stream equals PyTorch's")
    check(bool(torch.allclose(after, c + 1)), "PyTorch goes on with it on the stream")
    call(blas, "cublasDestroy_v2", handle)


def light(lt: ctypes.CDLL) -> None:
    lt.cublasLtGetVersion.restype = c_size_t
    check(lt.cublasLtGetVersion() >= 130000, "cuBLASLt's version")
    handle, layout = c_void_p(), c_void_p()
    call(lt, "cublasLtCreate", byref(handle))
    call(lt, "cublasLtMatrixLayoutCreate", byref(layout), 0, ctypes.c_uint64(8), ctypes.c_uint64(8), ctypes.c_int64(8))
    call(lt, "cublasLtMatrixLayoutDestroy", layout)
    call(lt, "cublasLtDestroy", handle)


def main() -> int:
    folder, = sys.argv[1:]
    torch.backends.cuda.matmul.allow_tf32 = False
    first = torch.ones(8, 8, device="cuda") @ torch.ones(8, 8, device="cuda")  # PyTorch opens its libraries
    check(float(first.sum()) == 8 * 64, "PyTorch itself")
    before = {name: mapped(f"/{name}.so") for name in ("libcublas", "libcublasLt", "libcudart")}
    blas, lt = (ctypes.CDLL(f"{folder}/{name}_stub.so") for name in ("libcublas", "libcublaslt"))
    version = c_int()
    call(blas, "cublasGetVersion_v2", None, byref(version))
    product(blas)
    light(lt)
    for name, files in before.items():
        print(f"{name}: {', '.join(sorted(files))}")
        check(len(files) == 1 and mapped(f"/{name}.so") == files, f"one {name} in the process, PyTorch's")
    again = torch.ones(8, 8, device="cuda") @ torch.ones(8, 8, device="cuda")
    check(float(again.sum()) == 8 * 64, "PyTorch afterwards")
    return 0


if __name__ == "__main__":
    sys.exit(main())
