// SPDX-License-Identifier: Apache-2.0

// Calls of the driver for Library and Kernel, which print nothing.
#pragma once

#include <string>

namespace anycuda::linker {

// Throws BackendError if the driver is missing, or known to lack the function: calling it would
// make the stub print that.
void need_function(const char* function);

// Throws DriverError unless `result` is CUDA_SUCCESS. `about`: what the call was about, "" or "of
// 'kernel.cu'". `log`: the driver's.
void require(unsigned result, const char* function, const std::string& about,
             const std::string& log = {});

}  // namespace anycuda::linker
