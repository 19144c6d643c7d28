// SPDX-License-Identifier: Apache-2.0

// From CUDA C++ in a string to a kernel that runs: the source is compiled for this machine's GPU,
// loaded once for all contexts, and launched over a Buffer.
#include <anycuda/graph/exception.h>
#include <anycuda/graph/stream_launch.h>
#include <anycuda/linker/library.h>
#include <anycuda/linker/probe.h>
#include <anycuda/linker/program.h>

#include <cstdio>
#include <vector>

#ifndef ANYCUDA_HAS_CUDA_H  // <cuda.h> declares these, where there is one
extern "C" {
CUresult cuInit(unsigned flags);
CUresult cuDeviceGet(int* device, int ordinal);
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, int device);
CUresult cuCtxSetCurrent(CUcontext context);
CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, std::size_t bytes);
}
#endif

namespace {

using namespace anycuda;
using graph::throw_if_failed;

constexpr int kCount = 1000;
const char kSource[] = R"(
template <typename T>
__global__ void fill(T* values, T value, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] = value;
}
)";

bool open_gpu() {
  int device = 0;
  CUcontext context = nullptr;
  if (!linker::probe_driver().problem.empty() || cuInit(0) != CUDA_SUCCESS) return false;
  throw_if_failed(cuDeviceGet(&device, 0));
  throw_if_failed(cuDevicePrimaryCtxRetain(&context, device));
  throw_if_failed(cuCtxSetCurrent(context));
  return true;
}

std::vector<float> filled_on_gpu() {
  // [begin]
  Program program(kSource, "fill.cu");
  program.add_name_expression("fill<float>");
  const Library library = Library::load(program.compile(linker::Output::cubin));
  const Kernel fill = library.kernel("fill<float>");
  const graph::Buffer values = graph::Buffer::allocate(kCount * sizeof(float));
  graph::launch(nullptr, fill, {(kCount + 255) / 256, 256}, values, 3.0F, kCount);
  // [end]
  std::vector<float> numbers(kCount);
  throw_if_failed(cuMemcpyDtoH_v2(numbers.data(), values.address(), values.size()));
  return numbers;
}

}  // namespace

int main() {
  try {
    if (!open_gpu()) {
      std::printf("no GPU was found\n");
      return 0;
    }
    const bool good = filled_on_gpu() == std::vector<float>(kCount, 3.0F);
    std::printf("%s\n", good ? "the numbers are right" : "WRONG NUMBERS");
    return good ? 0 : 1;
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
}
