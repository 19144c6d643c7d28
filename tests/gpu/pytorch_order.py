# SPDX-License-Identifier: Apache-2.0
"""One process in which PyTorch and another CUDA library (pytorch_shared.cu) work on the same memory.

    python3 pytorch_order.py LIBRARY ORDER

ORDER says when the library comes: `called` (before PyTorch, and makes CUDA calls), `loaded` (before PyTorch, its
calls come after) or `after`. Prints the library's runtime version and the runtimes of the process as JSON;
exit status 0 if all numbers are right.
"""

import ctypes
import json
import sys
from ctypes import POINTER, byref, c_float, c_int, c_void_p

from pytorch_runtimes import runtimes

COUNT = 1000
DEVICE_MEMORY, HOST_MEMORY = 2, 1  # cudaMemoryType


def check(holds: bool, what: str) -> None:
    if not holds:
        sys.exit(f"not as expected: {what}")


class Shared:
    """The library, and memory that it has allocated."""

    def __init__(self, path: str) -> None:
        self.library = ctypes.CDLL(path)
        self.library.shared_add.argtypes = [c_void_p, c_int, c_float, c_void_p]
        self.library.shared_read.argtypes = [POINTER(c_float), c_void_p, c_int]
        self.library.shared_kind_of.argtypes = [c_void_p, POINTER(c_int)]
        self.data = c_void_p()

    def call(self, name: str, *arguments: object) -> None:
        status = getattr(self.library, f"shared_{name}")(*arguments)
        check(status == 0, f"{name}: status {status}")

    def start(self) -> None:
        self.call("allocate", byref(self.data), COUNT)
        self.call("add", self.data, COUNT, 1.0, None)
        check(self.read() == {1.0}, "a kernel of the library")

    def read(self) -> set[float]:
        host = (c_float * COUNT)()
        self.call("read", host, self.data, COUNT)
        return set(host)

    def kind_of(self, address: int) -> int:
        kind = c_int(-1)
        self.call("kind_of", address, byref(kind))
        return kind.value

    def runtime(self) -> int:
        version = c_int(0)
        self.call("runtime", byref(version))
        return version.value

    @property
    def __cuda_array_interface__(self) -> dict[str, object]:
        return {"version": 2, "shape": (COUNT,), "typestr": "<f4", "data": (self.data.value, False)}


def share(torch, shared: Shared) -> None:
    """Each works on the other's memory, in one stream of PyTorch's."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        tensor = torch.zeros(COUNT, device="cuda")
        for _ in range(10):
            tensor += 1
            shared.call("add", tensor.data_ptr(), COUNT, 2.0, stream.cuda_stream)
        theirs = torch.as_tensor(shared, device="cuda")
        theirs += tensor
    stream.synchronize()
    check(bool((tensor == 30).all()), "PyTorch's memory, worked on by both")
    check(theirs.data_ptr() == shared.data.value, "the library's memory as a tensor, not a copy")
    check(shared.read() == {31.0}, "the library's memory, worked on by both")
    check(shared.kind_of(tensor.data_ptr()) == DEVICE_MEMORY, "PyTorch's device memory, known")
    pinned = torch.zeros(COUNT, pin_memory=True)
    check(shared.kind_of(pinned.data_ptr()) == HOST_MEMORY, "PyTorch's pinned memory, known")


def main() -> int:
    path, order = sys.argv[1:]
    shared = Shared(path) if order != "after" else None
    if order == "called":
        shared.start()

    import torch  # its place among the lines is what is tested

    check(float(torch.ones(10, device="cuda").sum()) == 10, "PyTorch itself")
    shared = shared or Shared(path)
    if order != "called":
        shared.start()
    share(torch, shared)
    print(json.dumps({"version": shared.runtime(), "runtimes": runtimes()}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
