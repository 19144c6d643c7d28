#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tries a wheel of stable-softmax beside the installed PyTorch, without installing it and without a network.

    python3 try_wheel.py [--need-gpu] wheelhouse/stable_softmax-1.0-cp39-abi3-linux_x86_64.whl

Prints what is loaded and what was computed. Exit status: 0 all is right, 1 something is wrong, 2 the wheel cannot be
tried. Without a GPU it loads the wheel and looks for the operator; --need-gpu makes that a failure.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
import zipfile
from pathlib import Path

SHAPES = ((1,), (1, 1), (7, 5), (64, 1000), (3, 4, 257), (2, 100_003), (100_000, 3), (0, 5), (5, 0))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--need-gpu", action="store_true", help="fail where PyTorch sees no GPU")
    arguments = parser.parse_args()
    try:
        import torch
    except ImportError as error:
        print(f"PyTorch cannot be imported: {error}. Install torch 2.9 or later.", file=sys.stderr)
        return 2
    print(f"torch {torch.__version__}, built for CUDA {torch.version.cuda}")
    with tempfile.TemporaryDirectory() as folder:
        try:
            with zipfile.ZipFile(arguments.wheel) as wheel:
                wheel.extractall(folder)
        except (OSError, zipfile.BadZipFile) as error:
            print(f"{arguments.wheel}: {error}. Name a wheel of stable-softmax.", file=sys.stderr)
            return 2
        sys.path.insert(0, folder)
        try:
            import stable_softmax
        except (ImportError, OSError) as error:
            print(f"WRONG: {arguments.wheel.name} cannot be imported: {error.__cause__ or error}")
            return 1
        print(f"registered: {stable_softmax.softmax.default._schema}")
        right = True
        if torch.cuda.is_available():
            right = computes(torch, stable_softmax.softmax)
        elif arguments.need_gpu:
            print("WRONG: PyTorch sees no GPU")
            right = False
        else:
            print("no GPU: nothing computed")
        right = loads_one_runtime() and right
    print("all right" if right else "WRONG")
    return 0 if right else 1


def computes(torch, softmax) -> bool:
    """On every GPU: in PyTorch's current stream, in another one, captured in a graph; and what it refuses."""
    right = True
    for device in range(torch.cuda.device_count()):
        print(f"GPU {device}: {torch.cuda.get_device_name(device)}, driver for CUDA {driver_version()}")
        torch.manual_seed(device)
        for shape in SHAPES:
            data = torch.randn(shape, device=f"cuda:{device}") * 20
            right = same(torch, f"softmax of {shape}", softmax(data), data) and right
        side = torch.cuda.Stream(device)
        with torch.cuda.stream(side):
            data = torch.randn(500, 700, device=f"cuda:{device}")
            result = softmax(data)
        side.synchronize()
        right = same(torch, "in another stream", result, data) and right
        with torch.cuda.device(device):
            graph = torch.cuda.CUDAGraph()
            # PyTorch's own stream for captures lies on the GPU that captured first.
            with torch.cuda.graph(graph, stream=torch.cuda.Stream(device)):
                result = softmax(data)
            data.copy_(torch.randn_like(data))
            graph.replay()
            right = same(torch, "in a replayed graph", result, data) and right
    for what, data in (("a tensor of float64", torch.zeros(3, device="cuda", dtype=torch.float64)),
                       ("a tensor that is not contiguous", torch.zeros(3, 4, device="cuda").t())):
        try:
            softmax(data)
            print(f"WRONG: {what} is accepted")
            right = False
        except RuntimeError:
            print(f"right: {what} is refused")
    return right


def same(torch, what: str, result, data) -> bool:
    expected = torch.softmax(data, -1)
    torch.cuda.synchronize()
    furthest = (result - expected).abs().max().item() if data.numel() else 0.0
    right = result.shape == expected.shape and furthest < 1e-5
    print(f"{'right' if right else 'WRONG'}: {what}, at most {furthest:.1e} from PyTorch's own")
    return right


def driver_version() -> str:
    import ctypes
    version = ctypes.c_int(0)
    ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(version))
    return f"{version.value // 1000}.{version.value % 1000 // 10}"


def loads_one_runtime() -> bool:
    """PyTorch's runtime is the only one in the process, and the wheel's stub is there."""
    text = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace")
    files = {os.path.basename(path) for path in re.findall(r"(/\S+)$", text, re.MULTILINE)}
    runtimes = sorted(name for name in files if re.match(r"libcudart[-.]", name))
    stubs = sorted(name for name in files if name.startswith("libanycuda_"))
    print(f"loaded: {', '.join(runtimes + stubs) or 'no CUDA runtime'}")
    return len(runtimes) == 1 and bool(stubs)


if __name__ == "__main__":
    sys.exit(main())
