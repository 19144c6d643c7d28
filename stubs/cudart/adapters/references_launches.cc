// SPDX-License-Identifier: Apache-2.0

// Kernel launches of callers built for 11, once a texture reference is bound. Their disposition is
// direct: until then, and so in nearly every program, they go straight to the library.
#include "stubs/cudart/adapters/references.h"
#include "stubs/cudart/adapters/references_bound.h"

namespace anycuda::references {
namespace {

template <typename Launch>
v11::cudaError_t with_settings(Launch launch) {
  const Status status = settings_for_launch();
  return status != 0 ? remember(status) : launch();
}

v11::cudaError_t launch(const void* kernel, v11::dim3 grid, v11::dim3 block, void** arguments,
                        std::size_t shared, v11::cudaStream_t stream) {
  return with_settings(
      [&] { return v11::cudaLaunchKernel(kernel, grid, block, arguments, shared, stream); });
}

v11::cudaError_t launch_ptsz(const void* kernel, v11::dim3 grid, v11::dim3 block, void** arguments,
                             std::size_t shared, v11::cudaStream_t stream) {
  return with_settings(
      [&] { return v11::cudaLaunchKernel_ptsz(kernel, grid, block, arguments, shared, stream); });
}

v11::cudaError_t cooperative(const void* kernel, v11::dim3 grid, v11::dim3 block, void** arguments,
                             std::size_t shared, v11::cudaStream_t stream) {
  return with_settings([&] {
    return v11::cudaLaunchCooperativeKernel(kernel, grid, block, arguments, shared, stream);
  });
}

v11::cudaError_t cooperative_ptsz(const void* kernel, v11::dim3 grid, v11::dim3 block,
                                  void** arguments, std::size_t shared, v11::cudaStream_t stream) {
  return with_settings([&] {
    return v11::cudaLaunchCooperativeKernel_ptsz(kernel, grid, block, arguments, shared, stream);
  });
}

v11::cudaError_t extended(const v11::cudaLaunchConfig_t* config, const void* kernel,
                          void** arguments) {
  return with_settings([&] { return v11::cudaLaunchKernelExC(config, kernel, arguments); });
}

v11::cudaError_t extended_ptsz(const v11::cudaLaunchConfig_t* config, const void* kernel,
                               void** arguments) {
  return with_settings([&] { return v11::cudaLaunchKernelExC_ptsz(config, kernel, arguments); });
}

template <typename Function>
void lead(const char* name, Function* function) {
  lead_slots(name, 11, reinterpret_cast<void*>(function));
}

}  // namespace

void look_at_launches() {
  static std::atomic<bool> done{false};
  if (done.load(std::memory_order_acquire)) return;
  lead("cudaLaunchKernel", launch);
  lead("cudaLaunchKernel_ptsz", launch_ptsz);
  lead("cudaLaunchCooperativeKernel", cooperative);
  lead("cudaLaunchCooperativeKernel_ptsz", cooperative_ptsz);
  lead("cudaLaunchKernelExC", extended);
  lead("cudaLaunchKernelExC_ptsz", extended_ptsz);
  // Last: a thread that reads it as done may launch at once.
  done.store(true, std::memory_order_release);
}

}  // namespace anycuda::references
