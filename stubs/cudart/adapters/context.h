// Calls of the driver on behalf of a caller of the runtime.
#pragma once

#include "cudart_adapters.h"

namespace anycuda {

// The runtime makes its context at the first call that needs one; the driver does not. `call` is
// made again once the runtime has done that. The answer is handed on, and remembered if it is an
// error.
template <typename Call>
Status in_context(Call call) {
  Status status = call();
  if (status == driver::CUDA_ERROR_NOT_INITIALIZED ||
      status == driver::CUDA_ERROR_INVALID_CONTEXT) {
    const KeepLastError kept;
    // The cheapest call that needs a context (CUDA Runtime API, "Initialization").
    if (v11::cudaFree(nullptr) == 0) status = call();
  }
  return driver_answer(status);
}

}  // namespace anycuda
