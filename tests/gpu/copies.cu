// SPDX-License-Identifier: Apache-2.0

// A plugin with a kernel, for copies.py.
#include <cuda_runtime.h>

__global__ void count(int* sum) { atomicAdd(sum, 1); }

// The number of threads that have run, or a negative number for the call that failed.
extern "C" int run(int blocks) {
  constexpr int kThreads = 32;
  int* sum = nullptr;
  if (cudaMalloc(&sum, sizeof *sum) != cudaSuccess) return -1;
  if (cudaMemset(sum, 0, sizeof *sum) != cudaSuccess) return -2;
  count<<<blocks, kThreads>>>(sum);
  if (cudaGetLastError() != cudaSuccess) return -3;
  int result = 0;
  if (cudaMemcpy(&result, sum, sizeof result, cudaMemcpyDeviceToHost) != cudaSuccess) return -4;
  return cudaFree(sum) == cudaSuccess ? result : -5;
}
extern "C" int fail() { return cudaSetDevice(77777); }
extern "C" int last_error() { return cudaGetLastError(); }
