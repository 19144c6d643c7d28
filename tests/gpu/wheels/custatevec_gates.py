# SPDX-License-Identifier: Apache-2.0
"""cuStateVec for CUDA 12, by cuQuantum's own Python: gates, expectation values and samples against NumPy's.

Its SONAME (libcustatevec.so.1) carries no CUDA; the file of the wheel for CUDA 12 needs cuBLAS 12.
"""

import cuquantum
import numpy
import torch
from cuquantum import custatevec
from report import check, end, expect, note

QUBITS = 12
DOUBLE, DOUBLE_COMPLEX = cuquantum.cudaDataType.CUDA_R_64F, cuquantum.cudaDataType.CUDA_C_64F
COMPUTE = cuquantum.ComputeType.COMPUTE_64F
ROWS = custatevec.MatrixLayout.ROW
random = numpy.random.default_rng(1)


def unitary(qubits: int) -> numpy.ndarray:
    size = 1 << qubits
    matrix = random.standard_normal((size, size)) + 1j * random.standard_normal((size, size))
    return numpy.ascontiguousarray(numpy.linalg.qr(matrix)[0])


def moved(state: numpy.ndarray, qubits: list[int]) -> numpy.ndarray:
    """One row for each value of the qubits; the first one counts least. Qubit 0 is the last axis of the state."""
    axes = [QUBITS - 1 - qubit for qubit in reversed(qubits)]
    return numpy.moveaxis(state.reshape((2,) * QUBITS), axes, range(len(axes))).reshape(1 << len(axes), -1)


def applied(state: numpy.ndarray, matrix: numpy.ndarray, targets: list[int], controls: list[int]) -> numpy.ndarray:
    """The matrix on the targets, where all controls are 1."""
    rows = moved(state, targets + controls)
    rows[-len(matrix):] = matrix @ rows[-len(matrix):]
    axes = [QUBITS - 1 - qubit for qubit in reversed(targets + controls)]
    return numpy.moveaxis(rows.reshape((2,) * QUBITS), range(len(axes)), axes).reshape(-1)


def gate(handle: int, state: torch.Tensor, matrix: numpy.ndarray, targets: list[int], controls: list[int]) -> None:
    kind = (matrix.ctypes.data, DOUBLE_COMPLEX, ROWS, 0)
    size = custatevec.apply_matrix_get_workspace_size(handle, DOUBLE_COMPLEX, QUBITS, *kind, len(targets),
                                                      len(controls), COMPUTE)
    space = torch.empty(max(size, 1), dtype=torch.uint8, device="cuda")
    custatevec.apply_matrix(handle, state.data_ptr(), DOUBLE_COMPLEX, QUBITS, *kind, targets, len(targets), controls,
                            [1] * len(controls), len(controls), COMPUTE, space.data_ptr(), size)
    torch.cuda.synchronize()


def close(got, want, what: str) -> None:
    off = float(numpy.max(numpy.abs(numpy.asarray(got) - numpy.asarray(want))))
    expect(off < 1e-12, f"{what} is off by {off}")


want = random.standard_normal(1 << QUBITS) + 1j * random.standard_normal(1 << QUBITS)
want /= numpy.linalg.norm(want)
state = torch.from_numpy(want.copy()).cuda()
handle = custatevec.create()
note(f"version {custatevec.get_property(0)}.{custatevec.get_property(1)}")

for targets, controls in (([3], []), ([0, 7], []), ([5], [2]), ([11], [0, 6]), ([4, 9, 1, 6, 2], []),
                          ([1, 3, 5, 7, 9, 11], [0]), ([10, 8, 6, 4, 2, 0, 1, 3, 5, 7], [])):
    with check(f"gate on {len(targets)} qubits, {len(controls)} controls"):
        matrix = unitary(len(targets))
        gate(handle, state, matrix, targets, controls)
        want = applied(want, matrix, targets, controls)
        close(state.cpu().numpy(), want, "the state")

with check("rotation by Pauli operators"):
    pauli_x, pauli_z = numpy.array([[0, 1], [1, 0]]), numpy.diag([1, -1])
    custatevec.apply_pauli_rotation(handle, state.data_ptr(), DOUBLE_COMPLEX, QUBITS, 0.3,
                                    [custatevec.Pauli.X, custatevec.Pauli.Z], [2, 8], 2, [], [], 0)
    both = numpy.kron(pauli_z, pauli_x)
    want = applied(want, numpy.cos(0.3) * numpy.eye(4) + 1j * numpy.sin(0.3) * both, [2, 8], [])
    torch.cuda.synchronize()
    close(state.cpu().numpy(), want, "the state")

with check("expectation value"):
    half = unitary(2)
    hermitian = numpy.ascontiguousarray(half + half.conj().T)
    size = custatevec.compute_expectation_get_workspace_size(handle, DOUBLE_COMPLEX, QUBITS, hermitian.ctypes.data,
                                                             DOUBLE_COMPLEX, ROWS, 2, COMPUTE)
    space = torch.empty(max(size, 1), dtype=torch.uint8, device="cuda")
    value = numpy.zeros(1, numpy.complex128)
    custatevec.compute_expectation(handle, state.data_ptr(), DOUBLE_COMPLEX, QUBITS, value.ctypes.data, DOUBLE_COMPLEX,
                                   hermitian.ctypes.data, DOUBLE_COMPLEX, ROWS, [1, 10], 2, COMPUTE, space.data_ptr(),
                                   size)
    close(value[0], numpy.vdot(want, applied(want, hermitian, [1, 10], [])), "the value")

with check("probabilities"):
    sums = numpy.zeros(8)
    custatevec.abs2sum_array(handle, state.data_ptr(), DOUBLE_COMPLEX, QUBITS, sums.ctypes.data, [0, 5, 9], 3, 0, 0, 0)
    close(sums, (numpy.abs(moved(want, [0, 5, 9])) ** 2).sum(axis=1), "a probability")

with check("samples"):
    shots = 100_000
    sampler, size = custatevec.sampler_create(handle, state.data_ptr(), DOUBLE_COMPLEX, QUBITS, shots)
    space = torch.empty(max(size, 1), dtype=torch.uint8, device="cuda")
    custatevec.sampler_preprocess(handle, sampler, space.data_ptr(), size)
    strings = numpy.zeros(shots, numpy.int64)
    custatevec.sampler_sample(handle, sampler, strings.ctypes.data, list(range(QUBITS)), QUBITS,
                              random.random(shots).tolist(), shots, custatevec.SamplerOutput.RANDNUM_ORDER)
    custatevec.sampler_destroy(sampler)
    counts = numpy.bincount(strings, minlength=1 << QUBITS) / shots
    distance = float(numpy.abs(counts - numpy.abs(want) ** 2).sum() / 2)
    note(f"samples are {distance:.3f} off")
    # 100,000 samples of 4,096 values are some 0.08 off, evenly distributed ones 0.35.
    expect(distance < 0.12, f"the samples' distribution is {distance} off")

custatevec.destroy(handle)
end("custatevec")
