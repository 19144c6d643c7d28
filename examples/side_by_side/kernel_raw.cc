// SPDX-License-Identifier: Apache-2.0

// From a CUDA source string to a launched kernel, with the CUDA driver and NVRTC only.
#include <cuda.h>
#include <nvrtc.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

const char kSource[] = R"(
template <typename T>
__global__ void fill(T* values, T value, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] = value;
}
)";
constexpr int kCount = 1000;

void check(CUresult status) {
  if (status == CUDA_SUCCESS) return;
  const char* name = nullptr;
  cuGetErrorName(status, &name);
  std::fprintf(stderr, "%s\n", name != nullptr ? name : "an unknown CUresult");
  std::exit(1);
}

void check(nvrtcResult status) {
  if (status == NVRTC_SUCCESS) return;
  std::fprintf(stderr, "%s\n", nvrtcGetErrorString(status));
  std::exit(1);
}

}  // namespace

int main() {
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  check(cuInit(0));
  check(cuDeviceGet(&device, 0));
  check(cuDevicePrimaryCtxRetain(&context, device));
  check(cuCtxSetCurrent(context));
  check(cuStreamCreate(&stream, 0));
  // [begin]
  nvrtcProgram program = nullptr;
  check(nvrtcCreateProgram(&program, kSource, "fill.cu", 0, nullptr, nullptr));
  check(nvrtcAddNameExpression(program, "fill<float>"));
  int major = 0, minor = 0;
  check(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
  check(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
  const std::string arch = "-arch=sm_" + std::to_string(10 * major + minor);
  const char* const options[] = {arch.c_str()};
  const nvrtcResult compiled = nvrtcCompileProgram(program, 1, options);
  std::size_t size = 0;
  check(nvrtcGetProgramLogSize(program, &size));
  std::string log(size, '\0');
  check(nvrtcGetProgramLog(program, log.data()));
  if (compiled != NVRTC_SUCCESS) std::fprintf(stderr, "%s\n", log.c_str());
  check(compiled);
  check(nvrtcGetCUBINSize(program, &size));
  std::string cubin(size, '\0');
  check(nvrtcGetCUBIN(program, cubin.data()));
  const char* lowered = nullptr;
  check(nvrtcGetLoweredName(program, "fill<float>", &lowered));
  CUmodule module = nullptr;
  check(cuModuleLoadData(&module, cubin.data()));
  CUfunction kernel = nullptr;
  check(cuModuleGetFunction(&kernel, module, lowered));
  check(nvrtcDestroyProgram(&program));
  CUdeviceptr values = 0;
  check(cuMemAlloc(&values, kCount * sizeof(float)));
  float value = 3.0F;
  int count = kCount;
  void* arguments[] = {&values, &value, &count};
  const unsigned blocks = (kCount + 255) / 256;
  check(cuLaunchKernel(kernel, blocks, 1, 1, 256, 1, 1, 0, stream, arguments, nullptr));
  // [end]
  check(cuStreamSynchronize(stream));
  std::vector<float> result(kCount);
  check(cuMemcpyDtoH(result.data(), values, kCount * sizeof(float)));
  check(cuMemFree(values));
  check(cuModuleUnload(module));
  const bool right = result == std::vector<float>(kCount, 3.0F);
  std::puts(right ? "the numbers are right" : "the numbers are wrong");
  return right ? 0 : 1;
}
