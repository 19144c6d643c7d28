"""What a PyTorch program does, checked: run by run.py with the stubs preloaded. Exit status 0: all right.

Prints the CUDA runtimes that the process has in the end: with stubs or without, there must be one."""

import sys

import torch


def check(holds: bool, what: str) -> None:
    if not holds:
        sys.exit(f"not as expected: {what}")


def main() -> int:
    a = torch.randn(512, 512, device="cuda")
    b = torch.randn(512, 512, device="cuda")
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        product = a @ b
    stream.synchronize()
    exact = a.double() @ b.double()
    check(float((product.double() - exact).norm() / exact.norm()) < 1e-3, "a matrix product in a stream")

    counter = torch.zeros(1000, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        counter += 1
    for _ in range(10):
        graph.replay()
    torch.cuda.synchronize()
    check(bool((counter == 10).all()), "a captured graph, replayed ten times")

    compiled = torch.compile(lambda t: torch.sin(t) * 2 + t)
    check(torch.allclose(compiled(a), torch.sin(a) * 2 + a, atol=1e-5), "torch.compile")

    with open("/proc/self/maps", encoding="utf-8") as maps:
        files = {line.split()[-1] for line in maps if "libcudart" in line}
    runtimes = sorted(file for file in files if "_stub" not in file)
    print("runtimes:", *runtimes)
    check(len(runtimes) == 1, "one CUDA runtime in the process")
    return 0


if __name__ == "__main__":
    sys.exit(main())
