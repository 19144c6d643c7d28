// SPDX-License-Identifier: Apache-2.0

// The program of every way of using anycuda: one call, one line. ("built 12: 35 0
// cudaErrorInsufficientDriver")
#include <cuda_runtime_api.h>

#include <cstdio>

int main() {
  int version = -1;
  const cudaError_t status = cudaRuntimeGetVersion(&version);
  std::printf("built %d: %d %d %s\n", CUDART_VERSION / 1000, status, version,
              cudaGetErrorName(status));
}
