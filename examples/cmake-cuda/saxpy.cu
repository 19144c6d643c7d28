// SPDX-License-Identifier: Apache-2.0

// Ordinary CUDA: nothing in it knows of anycuda.
#include "saxpy.h"

#include <cuda_runtime.h>

namespace {

__global__ void kernel(int n, float a, const float* x, float* y) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) y[i] = a * x[i] + y[i];
}

struct DeviceArray {
  explicit DeviceArray(std::size_t n) { status = cudaMalloc(&data, n * sizeof(float)); }
  ~DeviceArray() { cudaFree(data); }
  float* data = nullptr;
  cudaError_t status;
};

}  // namespace

Saxpy saxpy(float a, const std::vector<float>& x, std::vector<float>* y) {
  int devices = 0;
  const cudaError_t found = cudaGetDeviceCount(&devices);
  if (found != cudaSuccess) return {false, cudaGetErrorString(found)};
  const std::size_t bytes = x.size() * sizeof(float);
  DeviceArray dx(x.size()), dy(x.size());
  if (dx.status != cudaSuccess || dy.status != cudaSuccess)
    return {false, cudaGetErrorString(cudaGetLastError())};
  cudaMemcpy(dx.data, x.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(dy.data, y->data(), bytes, cudaMemcpyHostToDevice);
  const int n = static_cast<int>(x.size());
  kernel<<<(n + 255) / 256, 256>>>(n, a, dx.data, dy.data);
  const cudaError_t done = cudaMemcpy(y->data(), dy.data, bytes, cudaMemcpyDeviceToHost);
  if (done != cudaSuccess) return {false, cudaGetErrorString(done)};
  int version = 0;
  cudaRuntimeGetVersion(&version);
  return {true, "CUDA runtime " + std::to_string(version / 1000) + "." +
                    std::to_string(version % 1000 / 10)};
}
