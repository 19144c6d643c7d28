// SPDX-License-Identifier: Apache-2.0

// One kernel, to see whether the driver loads it. Prints "gpu 9.0 driver 13.0 runtime 12.9" and
// then "kernel right", "kernel wrong", or the first call that failed: "failed cudaMalloc 100
// cudaErrorNoDevice".
#include <cuda_runtime.h>

#include <cstdio>

namespace {

constexpr int kCount = 64;

// Where the driver does not load the kernel, the first call that needs it fails; which one that is
// depends on CUDA_MODULE_LOADING.
bool works(cudaError_t status, const char* call) {
  if (status != cudaSuccess) {
    std::printf("failed %s %d %s\n", call, static_cast<int>(status), cudaGetErrorName(status));
  }
  return status == cudaSuccess;
}

}  // namespace

#define WORKS(call) works(call, #call)

__global__ void square(unsigned* numbers) { numbers[threadIdx.x] = threadIdx.x * threadIdx.x + 1; }

int main() {
  int driver = 0;
  int runtime = 0;
  int major = 0;
  int minor = 0;
  unsigned* numbers = nullptr;
  unsigned found[kCount] = {};
  if (!WORKS(cudaDriverGetVersion(&driver)) || !WORKS(cudaRuntimeGetVersion(&runtime)) ||
      !WORKS(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0)) ||
      !WORKS(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0))) {
    return 1;
  }
  std::printf("gpu %d.%d driver %d.%d runtime %d.%d\n", major, minor, driver / 1000,
              driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
  if (!WORKS(cudaMalloc(&numbers, sizeof found))) return 1;
  square<<<1, kCount>>>(numbers);
  if (!WORKS(cudaGetLastError()) || !WORKS(cudaDeviceSynchronize()) ||
      !WORKS(cudaMemcpy(found, numbers, sizeof found, cudaMemcpyDeviceToHost))) {
    return 1;
  }
  for (unsigned i = 0; i < kCount; ++i) {
    if (found[i] != i * i + 1) {
      std::printf("kernel wrong\n");
      return 1;
    }
  }
  std::printf("kernel right\n");
  return 0;
}
