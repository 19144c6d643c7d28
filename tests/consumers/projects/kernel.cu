// SPDX-License-Identifier: Apache-2.0

// The same with a kernel: its registration runs before main, and must not need a CUDA.
#include <cstdio>

__global__ void set(int* out) { *out = 1; }

int main() {
  int version = -1;
  const cudaError_t status = cudaRuntimeGetVersion(&version);
  std::printf("built %d: %d %d %s\n", CUDART_VERSION / 1000, status, version,
              cudaGetErrorName(status));
  int* out = nullptr;
  if (cudaMalloc(&out, sizeof *out) == cudaSuccess) set<<<1, 1>>>(out);
}
