// SPDX-License-Identifier: Apache-2.0

// Driver functions for a program that is not linked with the driver: from the runtime.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include "check.h"

namespace conformance {

// In the form that the headers in use give the call.
inline cudaError_t driver_entry_point(const char* name, void** function) {
#if CUDART_VERSION >= 13000
  cudaDriverEntryPointQueryResult found;
  return cudaGetDriverEntryPointByVersion(name, function, CUDART_VERSION, cudaEnableDefault,
                                          &found);
#elif CUDART_VERSION >= 12000
  cudaDriverEntryPointQueryResult found;
  return cudaGetDriverEntryPoint(name, function, cudaEnableDefault, &found);
#else
  return cudaGetDriverEntryPoint(name, function, cudaEnableDefault);
#endif
}

template <typename Function>
Function driver_function(Check& check, const char* name) {
  void* function = nullptr;
  if (check.call("cudaGetDriverEntryPoint", driver_entry_point(name, &function)) &&
      function == nullptr) {
    check.fail(std::string("the driver has no ") + name);
  }
  return reinterpret_cast<Function>(function);
}

}  // namespace conformance
