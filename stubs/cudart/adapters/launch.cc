// Kernel launches. nvcc 12 and later compile `kernel<<<...>>>` into __cudaGetKernel, which turns
// the host function into a handle, and __cudaLaunchKernel with that handle. The runtime of 11 knows
// kernels by their host functions alone, so on 11 that address is the handle, as it is in 12's own
// runtime (read in the machine code of 12.0 to 12.9).
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

}  // namespace anycuda
