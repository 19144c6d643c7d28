// SPDX-License-Identifier: Apache-2.0

// A library that shares memory and a stream with PyTorch: pytorch_order.py loads it into PyTorch's
// process. A function's answer is a CUDA status, 0 where all is well.
#include <cuda_runtime.h>

namespace {

__global__ void add(float* data, int count, float value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] += value;
}

}  // namespace

extern "C" {

int shared_allocate(float** data, int count) {
  const auto bytes = count * sizeof(float);
  const cudaError_t status = cudaMalloc(reinterpret_cast<void**>(data), bytes);
  return status != cudaSuccess ? status : cudaMemset(*data, 0, bytes);
}

int shared_add(float* data, int count, float value, cudaStream_t stream) {
  add<<<(count + 255) / 256, 256, 0, stream>>>(data, count, value);
  return cudaGetLastError();
}

int shared_read(float* to, const float* from, int count) {
  return cudaMemcpy(to, from, count * sizeof(float), cudaMemcpyDeviceToHost);
}

// What this library's runtime thinks of memory that PyTorch's allocated: a cudaMemoryType.
int shared_kind_of(const void* data, int* kind) {
  cudaPointerAttributes attributes = {};
  const cudaError_t status = cudaPointerGetAttributes(&attributes, data);
  *kind = attributes.type;
  return status;
}

int shared_runtime(int* version) { return cudaRuntimeGetVersion(version); }
}
