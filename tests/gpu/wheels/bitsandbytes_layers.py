# SPDX-License-Identifier: Apache-2.0
"""bitsandbytes: its library for CUDA 12 inside PyTorch for CUDA 13. BNB_CUDA_VERSION chooses the library."""

import torch
from report import check, end, expect, note

import bitsandbytes
from bitsandbytes import functional

SIZE = 512
torch.manual_seed(1)
torch.set_grad_enabled(False)


def off(got: torch.Tensor, want: torch.Tensor) -> float:
    return float((got.float() - want.float()).norm() / want.float().norm())


def layer() -> torch.nn.Linear:
    return torch.nn.Linear(SIZE, SIZE, bias=False).half().cuda()


inputs = torch.randn(64, SIZE, dtype=torch.half, device="cuda")

with check("8-bit layer"):
    plain = layer()
    quantised = bitsandbytes.nn.Linear8bitLt(SIZE, SIZE, bias=False, has_fp16_weights=False)
    weight = plain.weight.data.cpu()
    quantised.weight = bitsandbytes.nn.Int8Params(weight, requires_grad=False, has_fp16_weights=False)
    error = off(quantised.cuda()(inputs), plain(inputs))
    note(f"8-bit {error:.2%}")
    expect(0 < error < 0.03, f"an error of {error}, expected some 0.01")

with check("4-bit layer"):
    plain = layer()
    quantised = bitsandbytes.nn.Linear4bit(SIZE, SIZE, bias=False, compute_dtype=torch.half, quant_type="nf4")
    quantised.weight = bitsandbytes.nn.Params4bit(plain.weight.data.cpu(), quant_type="nf4", requires_grad=False)
    error = off(quantised.cuda()(inputs), plain(inputs))
    note(f"4-bit {error:.2%}")
    expect(0 < error < 0.15, f"an error of {error}, expected some 0.09")

with check("4-bit there and back"):
    for kind in ("nf4", "fp4"):
        numbers = torch.randn(4096, device="cuda")
        packed, state = functional.quantize_4bit(numbers, quant_type=kind)
        error = off(functional.dequantize_4bit(packed, state), numbers)
        expect(0 < error < 0.2, f"{kind}: an error of {error}")

with check("8-bit product is exact"):
    a = torch.randint(-127, 128, (64, SIZE), dtype=torch.int8, device="cuda")
    b = torch.randint(-127, 128, (96, SIZE), dtype=torch.int8, device="cuda")
    got = functional.int8_linear_matmul(a, b)
    want = (a.double() @ b.double().T).to(torch.int32)
    expect(torch.equal(got, want), "another product than PyTorch's")

with check("8-bit Adam converges"):
    goal = torch.randn(SIZE, 8, device="cuda")
    weights = torch.nn.Parameter(torch.zeros(SIZE, 8, device="cuda"))
    optimizer = bitsandbytes.optim.Adam8bit([weights], lr=0.05, min_8bit_size=1)
    first = float((weights - goal).square().mean())
    for _ in range(300):
        optimizer.zero_grad()
        with torch.enable_grad():
            (weights - goal).square().mean().backward()
        optimizer.step()
    last = float((weights - goal).square().mean())
    note(f"Adam {first:.3f} to {last:.6f}")
    expect(last < first / 100, f"the loss goes from {first} to {last}")
    state = optimizer.state[weights]
    expect(state["state1"].dtype == torch.uint8, "the optimizer's state is not of 8 bits")

end("bitsandbytes")
