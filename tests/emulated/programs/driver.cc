// SPDX-License-Identifier: Apache-2.0

// Calls the driver library through its stub.
#include <cuda.h>

#include <cstdio>

int main() {
  int version = 77, count = 77;
  const int versioned = cuDriverGetVersion(&version);
  std::printf("version %d %d\n", versioned, version);
  std::printf("init %d\n", cuInit(0));
  const int counted = cuDeviceGetCount(&count);
  std::printf("count %d %s\n", counted, count > 0 ? "as before" : "zero");
  CUdeviceptr memory = 77;
  std::printf("memory %d\n", cuMemAlloc(&memory, 256));
  const char* name = nullptr;
  const int named = cuGetErrorName(CUDA_ERROR_NO_DEVICE, &name);
  std::printf("name %d %s\n", named, name != nullptr ? name : "none");
  void* function = nullptr;
  const int found = cuGetProcAddress("cuMemAlloc", &function, 12000, 0, nullptr);
  std::printf("address %d %s\n", found, function != nullptr ? "given" : "none");
  return 0;
}
