// SPDX-License-Identifier: Apache-2.0

// A graph of kernels over buffers, with a callback that owns its data, built again and again, with
// the CUDA driver only.
//
//     graph_raw [BUILDS]
#include <cuda.h>
#include <nvrtc.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace {

const char kSource[] = R"(
extern "C" __global__ void scale(float* values, float factor, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] *= factor;
}
)";
constexpr unsigned kCount = 1000;

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

// Without a library that keeps them, the program must destroy these in the right order: the
// executable graph after its launch has ended, then what its nodes refer to.
struct Built {
  CUgraphExec executable = nullptr;
  CUdeviceptr values = 0;
  std::unique_ptr<std::vector<float>> result = std::make_unique<std::vector<float>>(kCount);
  std::unique_ptr<int> calls = std::make_unique<int>(0);
};

Built build(CUcontext context, CUfunction scale) {
  Built built;
  // [begin]
  CUgraph graph = nullptr;
  check(cuGraphCreate(&graph, 0));
  check(cuMemAlloc(&built.values, kCount * sizeof(float)));
  CUDA_MEMSET_NODE_PARAMS fill = {};
  fill.dst = built.values;
  fill.value = 0x3f800000;  // 1.0F
  fill.elementSize = 4;
  fill.width = kCount;
  fill.height = 1;
  CUgraphNode ones = nullptr;
  check(cuGraphAddMemsetNode(&ones, graph, nullptr, 0, &fill, context));
  float factor = 3.0F;
  unsigned count = kCount;
  void* arguments[] = {&built.values, &factor, &count};
  CUDA_KERNEL_NODE_PARAMS kernel = {};
  kernel.func = scale;
  kernel.gridDimX = (kCount + 255) / 256;
  kernel.gridDimY = kernel.gridDimZ = 1;
  kernel.blockDimX = 256;
  kernel.blockDimY = kernel.blockDimZ = 1;
  kernel.kernelParams = arguments;
  CUgraphNode three = nullptr;
  check(cuGraphAddKernelNode(&three, graph, &ones, 1, &kernel));
  factor = 2.0F;
  CUgraphNode six = nullptr;
  check(cuGraphAddKernelNode(&six, graph, &three, 1, &kernel));
  CUDA_MEMCPY3D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = built.values;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = built.result->data();
  copy.WidthInBytes = kCount * sizeof(float);
  copy.Height = copy.Depth = 1;
  CUgraphNode copied = nullptr;
  check(cuGraphAddMemcpyNode(&copied, graph, &six, 1, &copy, context));
  CUDA_HOST_NODE_PARAMS host = {};
  host.fn = [](void* calls) { ++*static_cast<int*>(calls); };
  host.userData = built.calls.get();
  CUgraphNode called = nullptr;
  check(cuGraphAddHostNode(&called, graph, &copied, 1, &host));
  check(cuGraphInstantiate(&built.executable, graph, 0));
  check(cuGraphDestroy(graph));
  // [end]
  return built;
}

CUfunction compiled(CUdevice device) {
  int major = 0;
  int minor = 0;
  check(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
  check(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
  const std::string arch = "-arch=sm_" + std::to_string(10 * major + minor);
  const char* const options[] = {arch.c_str()};
  nvrtcProgram program = nullptr;
  check(nvrtcCreateProgram(&program, kSource, "scale.cu", 0, nullptr, nullptr));
  check(nvrtcCompileProgram(program, 1, options));
  std::size_t size = 0;
  check(nvrtcGetCUBINSize(program, &size));
  std::string cubin(size, '\0');
  check(nvrtcGetCUBIN(program, cubin.data()));
  check(nvrtcDestroyProgram(&program));
  CUmodule module = nullptr;
  CUfunction scale = nullptr;
  check(cuModuleLoadData(&module, cubin.data()));
  check(cuModuleGetFunction(&scale, module, "scale"));
  return scale;
}

}  // namespace

int main(int argc, char** argv) {
  const int builds = argc > 1 ? std::atoi(argv[1]) : 1000;
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  check(cuInit(0));
  check(cuDeviceGet(&device, 0));
  check(cuDevicePrimaryCtxRetain(&context, device));
  check(cuCtxSetCurrent(context));
  check(cuStreamCreate(&stream, 0));
  const CUfunction scale = compiled(device);
  for (int number = 0; number < builds; ++number) {
    const Built built = build(context, scale);
    check(cuGraphLaunch(built.executable, stream));
    check(cuStreamSynchronize(stream));
    check(cuGraphExecDestroy(built.executable));
    check(cuMemFree(built.values));
    if (*built.result != std::vector<float>(kCount, 6.0F) || *built.calls != 1) {
      std::printf("build %d: the numbers are wrong\n", number);
      return 1;
    }
  }
  std::printf("%d builds, all numbers are right\n", builds);
  return 0;
}
