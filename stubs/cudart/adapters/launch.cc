// SPDX-License-Identifier: Apache-2.0

// Kernel launches. nvcc 12 and later compile `kernel<<<...>>>` into __cudaGetKernel, which turns
// the host function into a handle, and __cudaLaunchKernel with that handle. The runtime of 11 knows
// kernels only by their host functions, so on 11 that address is the handle, as in 12's runtime
// (read in the machine code of 12.0 to 12.9).
#include "cudart_adapters.h"

namespace anycuda {

ANYCUDA_ADAPTER v12::cudaError_t adapt_get_kernel(void** kernel, const void* function) {
  if (kernel == nullptr) return remember(v12::cudaErrorInvalidValue);
  if (function == nullptr) return remember(v12::cudaErrorInvalidDeviceFunction);
  *kernel = const_cast<void*>(function);
  return v12::cudaSuccess;
}

ANYCUDA_ADAPTER v12::cudaError_t adapt_launch_kernel(void* kernel, v12::dim3 grid, v12::dim3 block,
                                                     void** arguments, std::size_t shared_memory,
                                                     v12::cudaStream_t stream) {
  return v11::cudaLaunchKernel(kernel, grid, block, arguments, shared_memory, stream);
}

ANYCUDA_ADAPTER v12::cudaError_t adapt_launch_kernel_ptsz(void* kernel, v12::dim3 grid,
                                                          v12::dim3 block, void** arguments,
                                                          std::size_t shared_memory,
                                                          v12::cudaStream_t stream) {
  return v11::cudaLaunchKernel_ptsz(kernel, grid, block, arguments, shared_memory, stream);
}

// A program passes the handle that it asks for to the driver, which needs a handle of the driver:
// 13 returns one, and so does 12 since 12.8. Before, 12 returns the host function (read in the
// machine code of 12.4 to 12.9).
ANYCUDA_ADAPTER v13::cudaError_t adapt_get_kernel_of_driver(v13::cudaKernel_t* kernel,
                                                            const void* function) {
  if (kernel == nullptr) return v12::cudaGetKernel(nullptr, function);
  v12::cudaKernel_t found = nullptr;
  const Status status = v12::cudaGetKernel(&found, function);
  if (status != 0) return status;
  if (found == function) {
    return refuse(v13::cudaErrorNotSupported, "cudaGetKernel",
                  "the runtime (before 12.8) returns the host function, which the driver does not "
                  "accept as a kernel");
  }
  *kernel = found;
  return v13::cudaSuccess;
}

}  // namespace anycuda
