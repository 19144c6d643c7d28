// SPDX-License-Identifier: Apache-2.0

// From CUDA C++ in a string to a kernel that runs: the source is compiled for this machine's GPU,
// loaded once for all contexts, and launched over a Buffer.
#include <anycuda/graph/exception.h>
#include <anycuda/graph/operands.h>
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
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, std::size_t bytes);
CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, std::size_t bytes);
CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                        unsigned by, unsigned bz, unsigned shared, CUstream stream,
                        void** arguments, void** extra);
}
#endif

namespace {

using namespace anycuda;
using graph::throw_if_failed;

constexpr unsigned kCount = 1000;
constexpr unsigned kBlock = 128;
const char kSource[] = R"(
template <typename T> __global__ void scale(T* values, T factor, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] *= factor;
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

void scale_on_gpu(std::vector<float>* numbers) {
  const std::size_t bytes = numbers->size() * sizeof(float);
  const graph::Buffer values = graph::Buffer::allocate(bytes);
  throw_if_failed(cuMemcpyHtoD_v2(values.address(), numbers->data(), bytes));

  Program program(kSource, "scale.cu");
  program.add_name_expression("&scale<float>");
  const Library library = Library::load(program.compile(linker::Output::cubin));
  const Kernel scale = library.kernel("&scale<float>");

  CUdeviceptr address = values.address();
  float factor = 2.0F;
  unsigned count = kCount;
  void* arguments[] = {&address, &factor, &count};
  throw_if_failed(cuLaunchKernel(scale.function(), (count + kBlock - 1) / kBlock, 1, 1, kBlock, 1,
                                 1, 0, nullptr, arguments, nullptr));
  throw_if_failed(cuMemcpyDtoH_v2(numbers->data(), values.address(), bytes));
}

}  // namespace

int main() {
  try {
    if (!open_gpu()) {
      std::printf("no GPU was found\n");
      return 0;
    }
    std::vector<float> numbers(kCount, 1.5F);
    scale_on_gpu(&numbers);
    const bool good = numbers == std::vector<float>(kCount, 3.0F);
    std::printf("%s\n", good ? "the numbers are right" : "WRONG NUMBERS");
    return good ? 0 : 1;
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
}
