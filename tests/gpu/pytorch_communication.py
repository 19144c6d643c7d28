# SPDX-License-Identifier: Apache-2.0
"""PyTorch with the stubs of cuDNN and NCCL before it (LD_PRELOAD): a convolution, and sums over all GPUs.

    python3 pytorch_communication.py

The results must be the CPU's, and the process must have one cuDNN and one NCCL, PyTorch's. Exit status 0 if so.
"""

import sys

import torch
import torch.cuda.nccl

from pytorch_maths import check, mapped


def convolution() -> None:
    check(torch.backends.cudnn.is_available() and torch.backends.cudnn.version() >= 90000, "cuDNN's version")
    torch.backends.cudnn.allow_tf32 = False
    layer = torch.nn.Conv2d(3, 8, 3, padding=1)
    x = torch.randn(4, 3, 33, 31, requires_grad=True)
    want = layer(x).relu()
    want.sum().backward()
    gradient, weights = x.grad, layer.weight.grad
    on_gpu = x.detach().cuda().requires_grad_()
    layer.zero_grad(set_to_none=True)
    layer.cuda()
    got = layer(on_gpu).relu()
    got.sum().backward()
    check(bool(torch.allclose(got.cpu(), want, atol=1e-4)), "a convolution")
    check(bool(torch.allclose(on_gpu.grad.cpu(), gradient, atol=1e-3)), "its input's gradient")
    check(bool(torch.allclose(layer.weight.grad.cpu(), weights, atol=1e-2)), "its weights' gradient")


def sums() -> None:
    count = torch.cuda.device_count()
    check(torch.cuda.nccl.version() >= (2, 16), "NCCL's version")
    values = [torch.arange(100003, dtype=torch.float32) % 7 * (index + 1) for index in range(count)]
    want = torch.stack(values).sum(0)
    on_gpus = [value.to(f"cuda:{index}") for index, value in enumerate(values)]
    torch.cuda.nccl.all_reduce(on_gpus)
    for index, value in enumerate(on_gpus):
        check(bool(torch.equal(value.cpu(), want)), f"the sum of {count} on GPU {index}")


def main() -> int:
    convolution()
    sums()
    for name in ("libcudnn", "libnccl", "libcublas", "libcudart"):
        files = mapped(f"/{name}.so")
        print(f"{name}: {', '.join(sorted(files))}")
        check(len(files) == 1, f"one {name} in the process")
    return 0


if __name__ == "__main__":
    sys.exit(main())
