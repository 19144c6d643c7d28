// SPDX-License-Identifier: Apache-2.0

// Two functions of the runtime of 11 that have another meaning since 12, for callers that were
// built for the newer one. Neither header shows it (docs/cross-major/behaviour.md).
#include "cudart_adapters.h"

namespace anycuda {
namespace {

// Is the device's primary context made, and this thread's current one? Runtime 11 makes it current
// in cudaSetDevice, even if it is not made yet.
bool has_context(int device) {
  driver::CUcontext current = nullptr;
  unsigned flags = 0;
  int active = 0;
  return driver::cuCtxGetCurrent(&current) == 0 && current != nullptr &&
         driver::cuDevicePrimaryCtxGetState(device, &flags, &active) == 0 && active != 0;
}

}  // namespace

// 12's function makes the context and returns the status of that. A device that has one costs no
// further call of the runtime: cudaFree is forbidden while a stream captures, cudaSetDevice is not.
ANYCUDA_ADAPTER v12::cudaError_t adapt_set_device_on_11(int device) {
  const Status status = v11::cudaSetDevice(device);
  if (status != 0 || has_context(device)) return status;
  return v11::cudaFree(nullptr);
}

// 12's function needs no driver, and sets no error. 11's remembers its error for a null pointer.
ANYCUDA_ADAPTER v12::cudaError_t adapt_runtime_version_on_11(int* version) {
  if (version == nullptr) {
    v11::cudaRuntimeGetVersion(nullptr);
    return v12::cudaErrorInvalidValue;
  }
  const KeepLastError last_error_scope;
  if (v11::cudaRuntimeGetVersion(version) != 0) *version = library_release();
  return 0;
}

}  // namespace anycuda
