// SPDX-License-Identifier: Apache-2.0

// Everything that nvcc registers.
#include <cuda_runtime.h>

__constant__ float constants[4];
__device__ double variable;
__managed__ int managed;

template <typename T>
__global__ void __launch_bounds__(128) templated(T* data) {
  data[0] = static_cast<T>(variable) + static_cast<T>(constants[1]) + static_cast<T>(managed);
}
template __global__ void templated<int>(int*);
template __global__ void templated<float>(float*);

namespace {
__device__ int hidden;
__global__ void plain(int* data) { data[0] = hidden; }
}  // namespace

#if CUDART_VERSION < 12000
texture<float, 2, cudaReadModeElementType> image;
surface<void, cudaSurfaceType2D> target;
__global__ void sample(float* data) { data[0] = tex2D(image, 0.5f, 0.5f); }
#endif

extern "C" int launch() {
  plain<<<1, 1>>>(nullptr);
  return static_cast<int>(cudaGetLastError());
}
