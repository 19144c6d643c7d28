// SPDX-License-Identifier: Apache-2.0

// Functions that a newer runtime dropped because they do nothing, or only call the driver.
#include "stubs/cudart/adapters/context.h"

namespace anycuda {

// cudaSetDoubleForDevice and cudaSetDoubleForHost: 11's and 12's make the driver ready, as every
// call does, and look at nothing (read in the machine code of 11.8 and 12.9).
ANYCUDA_ADAPTER v11::cudaError_t adapt_set_double(double*) {
  int count = 0;
  return v13::cudaGetDeviceCount(&count);
}

// 11's passes its arguments to the driver's function of the same name, which cuda.h does not
// declare; current drivers answer that it is not supported (801; measured with 535 and 550).
ANYCUDA_ADAPTER v11::cudaError_t adapt_profiler_initialize(const char* configuration,
                                                           const char* output,
                                                           v11::cudaOutputMode mode) {
  return in_context([&]() -> Status {
    static std::atomic<void*> cache;
    using Initialize = driver::CUresult (*)(const char*, const char*, unsigned);
    const auto initialize =
        reinterpret_cast<Initialize>(driver_function(&cache, "cuProfilerInitialize"));
    if (initialize == nullptr) return missing_function("cuProfilerInitialize");
    return initialize(configuration, output, mode);
  });
}

}  // namespace anycuda
