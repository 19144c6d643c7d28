# SPDX-License-Identifier: Apache-2.0
"""cuTensorNet for CUDA 12, by cuQuantum's own Python: contractions against NumPy's, QR and SVD against their product.

The wheels for CUDA 12 need cuBLAS and cuSOLVER (cuTensorNet) and cuBLASLt (cuTENSOR) of 12.
"""

import numpy
import torch
from cuquantum import contract, contract_path, cutensornet
from cuquantum.cutensornet.tensor import SVDMethod, decompose
from report import check, end, expect, note

random = numpy.random.default_rng(1)
NETWORKS = (
    ("product", "ij,jk->ik", ((64, 96), (96, 80))),
    ("trace", "ijk,kji->", ((16, 24, 32), (32, 24, 16))),
    ("batch", "bij,bjk->bik", ((8, 64, 32), (8, 32, 48))),
    ("ring of six", "iabj,jcdk,kefl,lghm,mnop,pqri->abcdefghnoqr", ((6, 2, 3, 6),) * 4 + ((6, 2, 3, 6),) * 2),
    ("lattice", "abc,adef,bgh,egij,cikl->dfhjkl", ((4, 5, 6), (4, 3, 7, 4), (5, 8, 3), (7, 8, 2, 5), (6, 2, 4, 3))),
)


def numbers(shape: tuple[int, ...], kind: type) -> numpy.ndarray:
    values = random.standard_normal(shape)
    return (values + 1j * random.standard_normal(shape) if numpy.issubdtype(kind, complex) else values).astype(kind)


def off(got, want) -> float:
    return float(numpy.linalg.norm(numpy.asarray(got) - want) / numpy.linalg.norm(want))


note(f"version {cutensornet.get_version()}")

for name, expression, shapes in NETWORKS:
    for kind, tolerance in ((numpy.float32, 1e-4), (numpy.float64, 1e-12), (numpy.complex128, 1e-12)):
        with check(f"{name}, {numpy.dtype(kind).name}"):
            arrays = [numbers(shape, kind) for shape in shapes]
            got = contract(expression, *(torch.from_numpy(array).cuda() for array in arrays))
            want = numpy.einsum(expression, *arrays, optimize=True)
            error = off(got.cpu().numpy(), want)
            expect(error < tolerance, f"off by {error}")

with check("path"):
    arrays = [torch.from_numpy(numbers(shape, float)).cuda() for shape in NETWORKS[3][2]]
    path, info = contract_path(NETWORKS[3][1], *arrays)
    expect(len(path) == len(arrays) - 1 and info.opt_cost > 0, f"path {path}, {info.opt_cost} operations")

with check("QR"):
    tensor = numbers((6, 5, 4, 7), numpy.complex128)
    q, r = decompose("ijkl->ixk,xjl", torch.from_numpy(tensor).cuda())
    error = off(numpy.einsum("ixk,xjl->ijkl", q.cpu().numpy(), r.cpu().numpy()), tensor)
    expect(error < 1e-12, f"the product is off by {error}")
    square = numpy.einsum("ixk,iyk->xy", q.cpu().numpy().conj(), q.cpu().numpy())
    expect(numpy.allclose(square, numpy.eye(len(square)), atol=1e-12), "q is not orthogonal")

with check("SVD"):
    u, s, v = decompose("ijkl->ixk,xjl", torch.from_numpy(tensor).cuda(), method=SVDMethod())
    got = numpy.einsum("ixk,x,xjl->ijkl", u.cpu().numpy(), s.cpu().numpy(), v.cpu().numpy())
    error = off(got, tensor)
    expect(error < 1e-12, f"the product is off by {error}")
    matrix = tensor.transpose(0, 2, 1, 3).reshape(24, 35)
    expect(numpy.allclose(s.cpu().numpy(), numpy.linalg.svd(matrix, compute_uv=False)), "the singular values differ")

end("cutensornet")
