# SPDX-License-Identifier: Apache-2.0
"""A graph of kernels over buffers, with a callback that owns its data, built again and again, with cuda.core 1.2.

    python3 graph_cuda_core.py [BUILDS]
"""

import sys

import numpy as np
from cuda.core import Device, LaunchConfig, LegacyPinnedMemoryResource, Program, ProgramOptions
from cuda.core.graph import GraphDefinition

COUNT = 1000
SOURCE = """
extern "C" __global__ void scale(float* values, float factor, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] *= factor;
}
"""


def build(memory, stream, kernel, result, calls):
    # [begin]
    graph = GraphDefinition()
    values = memory.allocate(COUNT * 4, stream=stream)
    config = LaunchConfig(grid=(COUNT + 255) // 256, block=256)
    ones = graph.memset(values, np.float32(1), COUNT)
    three = ones.launch(config, kernel, values, np.float32(3), np.uint32(COUNT))
    six = three.launch(config, kernel, values, np.float32(2), np.uint32(COUNT))
    copied = six.memcpy(result, values, COUNT * 4)
    copied.callback(lambda: calls.append(1))
    return graph.instantiate()
    # [end]


def main() -> int:
    builds = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    device = Device()
    device.set_current()
    stream = device.create_stream()
    program = Program(SOURCE, "c++", ProgramOptions(arch=f"sm_{device.arch}"))
    kernel = program.compile("cubin").get_kernel("scale")
    pinned = LegacyPinnedMemoryResource()  # the host's memory of a copy must be pinned
    for number in range(builds):
        result, calls = pinned.allocate(COUNT * 4), []
        executable = build(device.memory_resource, stream, kernel, result, calls)
        stream.sync()  # the memory is allocated in the order of this stream
        executable.launch(stream)
        stream.sync()
        if not (np.from_dlpack(result).view(np.float32) == 6).all() or calls != [1]:
            print(f"build {number}: the numbers are wrong")
            return 1
    print(f"{builds} builds, all numbers are right")
    return 0


if __name__ == "__main__":
    sys.exit(main())
