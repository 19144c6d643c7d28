# SPDX-License-Identifier: Apache-2.0
"""One measured process of launch.py: batches of launches, and what a launch took in each way, as JSON.

    python3 measure.py torch SECONDS SLOTS            PyTorch's launches; the stub of the runtime is preloaded, and its
                                                      imports are led to the stub and past it in turn
    python3 measure.py linked SECONDS DIRECT STUB     one library, linked to the runtime and to the stub

Ways are measured a batch at a time, in random order, for as long as is asked. A way's number, in nanoseconds per
launch, is the lower quartile of its batches: what disturbs a batch only ever makes it longer.
"""

import ctypes
import gc
import json
import os
import random
import statistics
import sys
import time
from typing import Callable, TypeVar

BATCH = 200  # launches; the GPU takes some 1000 before one has to wait for an earlier one
WARM_UP = 20  # batches of each way that are not counted

T = TypeVar("T")
Way = Callable[[], float]


def launching(path: str) -> tuple[str, dict[str, Way]]:
    """Where a library's launches go, and its two ways to launch."""
    library = ctypes.CDLL(path)
    library.launches_bound_to.restype = ctypes.c_char_p

    def way(name: str) -> Way:
        function = getattr(library, name)
        function.restype = ctypes.c_double
        return lambda: function(BATCH)

    ways = {"`<<<>>>`": way("launches_compiled"), "`cudaLaunchKernel`": way("launches_called")}
    return library.launches_bound_to().decode(), ways


class Slots:
    """The imports of all libraries in this process, pointed at the stub or at the runtime (slots.cc)."""

    def __init__(self, library: str) -> None:
        self.library = ctypes.CDLL(library)
        self.library.slots_lead_to.restype = ctypes.c_char_p
        runtime, = mapped("/libcudart.so.13")
        stub, = mapped("/libcudart_stub.so")
        found = self.library.slots_find(*(ctypes.c_void_p(ctypes.CDLL(file)._handle) for file in (stub, runtime)),
                                        b"libcudart.so.13")
        if found <= 0:
            sys.exit(f"no import of this process leads to {stub} ({found})")

    def lead(self, to_stub: bool, way: Callable[[], T]) -> Callable[[], T]:
        point = self.library.slots_point_at_stub

        def led() -> T:
            point(to_stub)
            taken = way()
            point(True)  # the process ends with it: what the stub has registered, the runtime cannot take back
            return taken
        return led

    def pytorch_bound_to(self, to_stub: bool) -> bytes:
        slots = self.library.slots_lead_to
        return self.lead(to_stub, lambda: bytes(slots(b"/libtorch_cuda.so", b"__cudaLaunchKernel")))()


def mapped(name: str) -> set[str]:
    with open("/proc/self/maps", encoding="utf-8") as maps:
        return {line.split(maxsplit=5)[5].strip() for line in maps if name in line}


def torch_ways(slots_library: str) -> tuple[list[str], dict[str, Way]]:
    import torch

    scalar = torch.zeros(1, device="cuda")
    few = torch.zeros(8, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        scalar.add_(1)

    def timed(function: Callable[..., object], *arguments: object) -> Way:
        def way() -> float:
            times = range(BATCH)
            start = time.perf_counter_ns()
            for _ in times:
                function(*arguments)
            taken = time.perf_counter_ns() - start
            torch.cuda.synchronize()
            return taken / BATCH
        return way

    ways = {"`t.add_(1)`": timed(scalar.add_, 1), "`t.softmax(0)`": timed(few.softmax, 0),
            "`graph.replay()`": timed(graph.replay)}
    for way in ways.values():
        way()
    slots = Slots(slots_library)
    return [slots.pytorch_bound_to(to_stub).decode() for to_stub in (False, True)], {
        f"{how} PyTorch, {name}": slots.lead(to_stub, way)
        for name, way in ways.items() for how, to_stub in (("direct", False), ("stub", True))}


def linked_ways(direct: str, stub: str) -> tuple[list[str], dict[str, Way]]:
    direct_to, direct_ways = launching(direct)
    stub_to, stub_ways = launching(stub)
    return [direct_to, stub_to], {**{f"direct {name}": way for name, way in direct_ways.items()},
                                  **{f"stub {name}": way for name, way in stub_ways.items()}}


def measure(ways: dict[str, Way], seconds: float) -> dict[str, float]:
    batches: dict[str, list[float]] = {name: [] for name in ways}
    order = list(ways)
    for _ in range(WARM_UP):
        for name in order:
            ways[name]()
    # Now, not earlier: the driver's threads are there, and stay free to run elsewhere.
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    gc.disable()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        random.shuffle(order)
        for name in order:
            taken = ways[name]()
            if taken <= 0:
                sys.exit(f"{name}: CUDA status {-taken:.0f}")
            batches[name].append(taken)
    return {name: statistics.quantiles(taken, n=4)[0] for name, taken in batches.items()}


def main() -> int:
    how, seconds, *libraries = sys.argv[1:]
    bound_to, ways = (torch_ways if how == "torch" else linked_ways)(*libraries)
    found = {"bound_to": bound_to, "ns": measure(ways, float(seconds))}
    if how == "torch":
        import torch
        found["machine"] = f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}"
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
