// SPDX-License-Identifier: Apache-2.0

// Says what it was built for and what it runs on.
#include <cuda_runtime_api.h>

#include <cstdio>

int main() {
  int version = 0;
  if (cudaRuntimeGetVersion(&version) != cudaSuccess) return 1;
  std::printf("built for CUDA %d, runs on CUDA %d.%d\n", CUDART_VERSION / 1000, version / 1000,
              version % 1000 / 10);
  return 0;
}
