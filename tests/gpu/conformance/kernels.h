// SPDX-License-Identifier: Apache-2.0

// Kernels that several topics launch.
#pragma once

#include <cuda_runtime.h>

namespace conformance {

constexpr int kCount = 64;  // numbers in most arrays: small, and one block

__global__ void add(int* data, int count, int amount);       // data[i] += amount
__global__ void multiply(int* data, int count, int factor);  // data[i] *= factor
__global__ void copy(int* to, const int* from, int count);   // to[i] = from[i]

// A launch of `add` over kCount numbers, described as graph nodes and launches by handle need it.
struct Add {
  Add(int* to, int amount) : data(to), amount(amount) {}
  Add(const Add&) = delete;
  Add& operator=(const Add&) = delete;

  cudaKernelNodeParams node() {
    cudaKernelNodeParams params = {};
    params.func = reinterpret_cast<void*>(&add);
    params.gridDim = dim3(1);
    params.blockDim = dim3(kCount);
    params.kernelParams = arguments;
    return params;
  }

  int* data;
  int count = kCount;
  int amount;
  void* arguments[3] = {&data, &count, &amount};
};

}  // namespace conformance
