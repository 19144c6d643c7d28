# SPDX-License-Identifier: Apache-2.0
"""PyTorch with all stubs preloaded, and bitsandbytes for CUDA 12 in the same process: results against the CPU's."""

import torch
import torch.cuda.nccl
from report import check, end, expect, note
from torch.nn import functional

import bitsandbytes.functional

torch.manual_seed(1)
torch.set_grad_enabled(False)


def near(got: torch.Tensor, want: torch.Tensor, tolerance: float = 1e-3) -> None:
    off = float((got.cpu() - want).abs().max() / want.abs().max())
    expect(off < tolerance, f"off by {off}")


def alike(function, *arguments: torch.Tensor) -> None:
    near(function(*(argument.cuda() for argument in arguments)), function(*arguments))


square = torch.randn(96, 96, dtype=torch.float64)
with check("matmul"):
    alike(torch.matmul, square, square)
with check("convolution"):
    alike(functional.conv2d, torch.randn(4, 8, 32, 32), torch.randn(16, 8, 3, 3))
with check("attention"):
    alike(functional.scaled_dot_product_attention, *torch.randn(3, 2, 4, 64, 32).unbind())
with check("FFT"):
    near(torch.fft.fft2(square.cuda()).abs(), torch.fft.fft2(square).abs())
with check("sparse product"):
    dense = square * (square > 1)
    near(dense.cuda().to_sparse_csr() @ square.cuda(), dense @ square)
with check("linear algebra"):
    near(torch.linalg.solve(square.cuda(), square.cuda()), torch.eye(96, dtype=torch.float64), 1e-6)
    near(torch.linalg.svdvals(square.cuda()), torch.linalg.svdvals(square))
    near(torch.linalg.eigvalsh((square + square.T).cuda()), torch.linalg.eigvalsh(square + square.T))
with check("random numbers"):
    expect(abs(float(torch.randn(100_000, device="cuda").mean())) < 0.02, "a mean far from 0")
with check("sum over all GPUs by NCCL"):
    parts = [torch.full((1003,), index + 1.0, device=f"cuda:{index}") for index in range(torch.cuda.device_count())]
    torch.cuda.nccl.all_reduce(parts)
    expect(all(float(part[5]) == len(parts) * (len(parts) + 1) / 2 for part in parts), "another sum")
with check("compiled function"):
    near(torch.compile(lambda x: torch.sin(x) @ torch.cos(x).T)(square.float().cuda()),
         torch.sin(square.float()) @ torch.cos(square.float()).T)
with check("profiler"):
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        with torch.cuda.nvtx.range("product"):
            square.cuda() @ square.cuda()
        torch.cuda.synchronize()
    kernels = [event.name for event in profile.events() if event.device_type == torch.autograd.DeviceType.CUDA]
    note(f"{len(kernels)} events on the GPU")
    expect(any("gemm" in name.lower() for name in kernels), f"no product among {kernels}")
with check("wheel for CUDA 12"):
    a, b = (torch.randint(-127, 128, (64, 512), dtype=torch.int8) for _ in range(2))
    got = bitsandbytes.functional.int8_linear_matmul(a.cuda(), b.cuda()).cpu()
    expect(torch.equal(got, (a.double() @ b.double().T).to(torch.int32)), "another product than the CPU's")

end("pytorch_preloaded")
