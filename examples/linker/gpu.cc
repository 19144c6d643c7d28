// SPDX-License-Identifier: Apache-2.0
#include "gpu.h"

// What <cuda.h> declares; declared here so that the example builds without CUDA.
extern "C" {
using CUdeviceptr = unsigned long long;
int cuInit(unsigned flags);
int cuDeviceGet(int* device, int ordinal);
int cuDeviceGetAttribute(int* value, int attribute, int device);
int cuDevicePrimaryCtxRetain(void** context, int device);
int cuCtxSetCurrent(void* context);
int cuMemAlloc_v2(CUdeviceptr* memory, unsigned long size);
int cuMemFree_v2(CUdeviceptr memory);
int cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, unsigned long size);
int cuMemcpyDtoH_v2(void* to, CUdeviceptr from, unsigned long size);
int cuModuleLoadData(void** module, const void* image);
int cuModuleUnload(void* module);
int cuModuleGetFunction(void** function, void* module, const char* name);
int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void* stream, void** arguments, void** extra);
}

namespace example {
namespace {

constexpr int kCapabilityMajor = 75;
constexpr int kCapabilityMinor = 76;
constexpr int kCount = 32;

bool run(void* function, float* values) {
  CUdeviceptr memory = 0;
  if (cuMemAlloc_v2(&memory, kCount * sizeof *values) != 0) return false;
  void* arguments[] = {&memory};
  const bool good =
      cuMemcpyHtoD_v2(memory, values, kCount * sizeof *values) == 0 &&
      cuLaunchKernel(function, 1, 1, 1, kCount, 1, 1, 0, nullptr, arguments, nullptr) == 0 &&
      cuMemcpyDtoH_v2(values, memory, kCount * sizeof *values) == 0;
  return cuMemFree_v2(memory) == 0 && good;
}

}  // namespace

std::string Gpu::open() {
  const int status = cuInit(0);
  if (status != 0) return "cuInit gives error " + std::to_string(status);
  int device = 0;
  int major = 0;
  int minor = 0;
  void* context = nullptr;
  if (cuDeviceGet(&device, 0) != 0 || cuDeviceGetAttribute(&major, kCapabilityMajor, device) != 0 ||
      cuDeviceGetAttribute(&minor, kCapabilityMinor, device) != 0 ||
      cuDevicePrimaryCtxRetain(&context, device) != 0 || cuCtxSetCurrent(context) != 0) {
    return "the first device cannot be used";
  }
  arch_ = "sm_" + std::to_string(major) + std::to_string(minor);
  return "";
}

bool Gpu::weighs(const std::string& cubin) {
  void* module = nullptr;
  void* function = nullptr;
  if (cuModuleLoadData(&module, cubin.data()) != 0) return false;
  float values[kCount];
  for (int i = 0; i < kCount; ++i) values[i] = 2.0F;
  bool good = cuModuleGetFunction(&function, module, "weigh") == 0 && run(function, values);
  for (int i = 0; i < kCount; ++i) good = good && values[i] == static_cast<float>(i);
  return cuModuleUnload(module) == 0 && good;
}

}  // namespace example
