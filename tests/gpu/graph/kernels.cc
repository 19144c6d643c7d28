// SPDX-License-Identifier: Apache-2.0

// The kernels of these tests. Every module that is loaded of them is one CUBIN's.
#include "graph/fixture.h"

namespace gputest {

const char* kernel_source() {
  return R"(
extern "C" __global__ void add(int* to, const int* from, int value, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] = from[i] + value;
}

extern "C" __global__ void spin(volatile int* go, volatile int* begun) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  *begun = 1;
  __threadfence_system();
  do {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (*go == 0 && now - start < 8000000000ULL);
}

extern "C" __device__ void cudaGraphSetConditional(unsigned long long handle, unsigned value);

extern "C" __global__ void set_condition(unsigned long long handle, unsigned value) {
  cudaGraphSetConditional(handle, value);
}

extern "C" __global__ void count_down(int* left, unsigned long long handle) {
  *left -= 1;
  cudaGraphSetConditional(handle, *left > 0 ? 1 : 0);
}
)";
}

}  // namespace gputest
