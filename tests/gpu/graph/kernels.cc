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

// The blocks of this block's cluster; 0 for a GPU without clusters.
extern "C" __global__ void cluster_size(int* out) {
  unsigned size = 0;
#if __CUDA_ARCH__ >= 900
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
#endif
  if (blockIdx.x == 0 && threadIdx.x == 0) *out = size;
}

// All blocks meet, which they can only if all of them run at a time: out = their number.
extern "C" __global__ void meet(int* arrived, int* out) {
  if (threadIdx.x != 0) return;
  atomicAdd(arrived, 1);
  while (atomicAdd(arrived, 0) < gridDim.x) {
  }
  if (blockIdx.x == 0) *out = gridDim.x;
}

// lets_go allows the next kernel to begin, and waits some time for it: met = whether it came.
extern "C" __global__ void lets_go(volatile int* next_began, int* met, unsigned milliseconds) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
  do {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (*next_began == 0 && now - start < milliseconds * 1000000ULL);
  *met = *next_began;
}
// follows says that it has begun, and reads what lets_go wrote when that has ended.
extern "C" __global__ void follows(volatile int* began, const volatile int* met, int* seen) {
  *began = 1;
  __threadfence();
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
  *seen = 1 + *met;
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
