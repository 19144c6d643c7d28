// SPDX-License-Identifier: Apache-2.0

// An extension as nvcc builds it: kernels and variables register themselves when it is loaded.
__constant__ int scale = 3;
__device__ float total;

__global__ void add(float* values) { atomicAdd(&total, values[threadIdx.x] * scale); }
__global__ void clear() { total = 0; }

extern "C" int launch() {
  clear<<<1, 1>>>();
  add<<<1, 32>>>(nullptr);
  return static_cast<int>(cudaGetLastError());
}

// Needs the registration of `scale`, also where nothing can be launched.
extern "C" int set_variable() {
  const int value = 5;
  return static_cast<int>(cudaMemcpyToSymbol(scale, &value, sizeof value));
}

extern "C" int device_count() {
  int count = 77;
  return static_cast<int>(cudaGetDeviceCount(&count));
}
