// SPDX-License-Identifier: Apache-2.0
#include "kernels.h"

namespace conformance {

namespace {

__device__ int index() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

}  // namespace

__global__ void add(int* data, int count, int amount) {
  const int i = index();
  if (i < count) data[i] += amount;
}

__global__ void multiply(int* data, int count, int factor) {
  const int i = index();
  if (i < count) data[i] *= factor;
}

__global__ void copy(int* to, const int* from, int count) {
  const int i = index();
  if (i < count) to[i] = from[i];
}

}  // namespace conformance
