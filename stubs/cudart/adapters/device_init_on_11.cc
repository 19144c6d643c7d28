// Two functions of the runtime of 11 that have another meaning since 12, for callers that were
// built for the newer one. Neither header shows it (docs/cross-major/behaviour.md).
#include "cudart_adapters.h"

namespace anycuda {
namespace {

// Is the device's primary context made, and this thread's current one? Runtime 11 makes it current
// in cudaSetDevice, also where nobody has made it yet.
bool has_context(int device) {
  driver::CUcontext current = nullptr;
  unsigned flags = 0;
  int active = 0;
  return driver::cuCtxGetCurrent(&current) == 0 && current != nullptr &&
         driver::cuDevicePrimaryCtxGetState(device, &flags, &active) == 0 && active != 0;
}

}  // namespace

// 12's makes the context and says what is wrong with it. A device that has one costs no call of the
// runtime more: cudaFree is forbidden while a stream captures, cudaSetDevice is not.
ANYCUDA_ADAPTER v12::cudaError_t adapt_set_device_on_11(int device) {
  const Status status = v11::cudaSetDevice(device);
  if (status != 0 || has_context(device)) return status;
  return v11::cudaFree(nullptr);
}

// 12's needs no driver, and sets no error. What 11's says of a null pointer it remembers itself.
ANYCUDA_ADAPTER v12::cudaError_t adapt_runtime_version_on_11(int* version) {
  if (version == nullptr) {
    v11::cudaRuntimeGetVersion(nullptr);
    return v12::cudaErrorInvalidValue;
  }
  const KeepLastError kept;
  if (v11::cudaRuntimeGetVersion(version) != 0) *version = library_release();
  return 0;
}

}  // namespace anycuda
