// SPDX-License-Identifier: Apache-2.0

// Cooperative launches over several devices, which 13 dropped and the driver kept. The checks and
// the calls of the driver are those of 12's runtime (read in the machine code of 12.9).
#include <cstdlib>

#include "context.h"

namespace anycuda {
namespace {

// The kernel as the device of a stream has it.
Status function_for(v13::cudaStream_t stream, v13::cudaKernel_t kernel,
                    driver::CUfunction* function) {
  driver::CUcontext context = nullptr;
  const Status status = in_context([&] { return driver::cuStreamGetCtx(stream, &context); });
  if (status != 0) return status;
  const Status pushed = driver::cuCtxPushCurrent_v2(context);
  if (pushed != 0) return driver_answer(pushed);
  const Status found = driver::cuKernelGetFunction(function, kernel);
  driver::CUcontext ignored;
  driver::cuCtxPopCurrent_v2(&ignored);
  return driver_answer(found);
}

Status launch(const v12::cudaLaunchParams* list, unsigned count, unsigned flags,
              driver::CUDA_LAUNCH_PARAMS* entries) {
  v13::cudaKernel_t kernel = nullptr;
  const Status known = v13::cudaGetKernel(&kernel, list[0].func);
  if (known != 0) return known;
  for (unsigned i = 0; i < count; ++i) {
    if (list[i].func != list[0].func) return remember(v12::cudaErrorInvalidValue);
    driver::CUDA_LAUNCH_PARAMS& entry = entries[i];
    entry = {};
    const Status status = function_for(list[i].stream, kernel, &entry.function);
    if (status != 0) return status;
    entry.gridDimX = list[i].gridDim.x;
    entry.gridDimY = list[i].gridDim.y;
    entry.gridDimZ = list[i].gridDim.z;
    entry.blockDimX = list[i].blockDim.x;
    entry.blockDimY = list[i].blockDim.y;
    entry.blockDimZ = list[i].blockDim.z;
    entry.sharedMemBytes = static_cast<unsigned>(list[i].sharedMem);
    entry.hStream = list[i].stream;
    entry.kernelParams = list[i].args;
  }
  return in_context(
      [&] { return driver::cuLaunchCooperativeKernelMultiDevice(entries, count, flags); });
}

}  // namespace

ANYCUDA_ADAPTER v12::cudaError_t adapt_launch_cooperative_multi_device(v12::cudaLaunchParams* list,
                                                                       unsigned count,
                                                                       unsigned flags) {
  if (list == nullptr || count == 0) return remember(v12::cudaErrorInvalidValue);
  int devices = 0;
  const Status status = v13::cudaGetDeviceCount(&devices);
  if (status != 0) return status;
  if (count > static_cast<unsigned>(devices)) return remember(v12::cudaErrorInvalidValue);
  const KeepErrno errno_scope;
  auto* entries = static_cast<driver::CUDA_LAUNCH_PARAMS*>(
      std::malloc(std::size_t{count} * sizeof(driver::CUDA_LAUNCH_PARAMS)));
  if (entries == nullptr) return remember(v12::cudaErrorMemoryAllocation);
  const Status launched = launch(list, count, flags, entries);
  std::free(entries);
  return launched;
}

}  // namespace anycuda
