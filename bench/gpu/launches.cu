// SPDX-License-Identifier: Apache-2.0

// Batches of launches of a kernel that does nothing. An answer is nanoseconds per launch, the wait
// for the GPU not counted; below zero: a CUDA status, negated.
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <chrono>

namespace {

__global__ void nothing(int) {}

using Clock = std::chrono::steady_clock;

template <typename Launch>
double batch(int count, Launch launch) {
  const auto start = Clock::now();
  for (int i = 0; i < count; ++i) launch();
  const std::chrono::duration<double, std::nano> taken = Clock::now() - start;
  const cudaError_t failed = cudaGetLastError();
  const cudaError_t status = failed != cudaSuccess ? failed : cudaDeviceSynchronize();
  return status == cudaSuccess ? taken.count() / count : -static_cast<double>(status);
}

using LaunchKernel = cudaError_t (*)(const void*, dim3, dim3, void**, std::size_t, cudaStream_t);

}  // namespace

extern "C" {

// As the compiler launches kernels.
double launches_compiled(int count) {
  return batch(count, [] { nothing<<<1, 1>>>(0); });
}

// As a program does that calls the runtime itself.
double launches_called(int count) {
  int zero = 0;
  void* arguments[] = {&zero};
  const auto* kernel = reinterpret_cast<const void*>(&nothing);
  return batch(count, [&] { cudaLaunchKernel(kernel, dim3(1), dim3(1), arguments, 0, nullptr); });
}

// The file that these launches go to.
const char* launches_bound_to() {
  const LaunchKernel function = &cudaLaunchKernel;
  Dl_info info = {};
  return dladdr(reinterpret_cast<const void*>(function), &info) != 0 ? info.dli_fname : "";
}
}
