// SPDX-License-Identifier: Apache-2.0

// A library with a kernel and a variable, as nvcc builds it: without a runtime, it finds the
// program's.
#include <cuda_runtime.h>

__device__ int offset = 7;
__global__ void add(int* data) { *data += offset; }

// The status of the first call that fails, and otherwise 0 and the number, plus seven.
extern "C" int answer(int* number) {
  int* data = nullptr;
  cudaError_t status = cudaMalloc(&data, sizeof *data);
  if (status != cudaSuccess) return status;
  status = cudaMemcpy(data, number, sizeof *data, cudaMemcpyHostToDevice);
  if (status == cudaSuccess) {
    add<<<1, 1>>>(data);
    status = cudaGetLastError();
  }
  if (status == cudaSuccess) {
    status = cudaMemcpy(number, data, sizeof *data, cudaMemcpyDeviceToHost);
  }
  cudaFree(data);
  return status;
}
