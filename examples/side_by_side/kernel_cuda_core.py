# SPDX-License-Identifier: Apache-2.0
"""From a CUDA source string to a launched kernel, with cuda.core 1.2."""

import sys

import numpy as np
from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

COUNT = 1000
SOURCE = """
template <typename T>
__global__ void fill(T* values, T value, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] = value;
}
"""


def main() -> int:
    device = Device()
    device.set_current()
    stream = device.create_stream()
    # [begin]
    program = Program(SOURCE, "c++", ProgramOptions(arch=f"sm_{device.arch}"))
    code = program.compile("cubin", name_expressions=("fill<float>",))
    kernel = code.get_kernel("fill<float>")
    values = device.memory_resource.allocate(COUNT * 4, stream=stream)
    config = LaunchConfig(grid=(COUNT + 255) // 256, block=256)
    launch(stream, config, kernel, values, np.float32(3), np.int32(COUNT))
    # [end]
    stream.sync()
    result = np.frombuffer(copied(values, stream), dtype=np.float32)
    print("the numbers are right" if (result == 3).all() else "the numbers are wrong")
    return 0 if (result == 3).all() else 1


def copied(values, stream) -> bytearray:
    from cuda.bindings import driver

    result = bytearray(values.size)
    status, = driver.cuMemcpyDtoH(result, int(values.handle), values.size)
    if status != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(status)
    return result


if __name__ == "__main__":
    sys.exit(main())
