// SPDX-License-Identifier: Apache-2.0

// Results by name, for messages.
#pragma once

#include <string>

namespace anycuda::linker {

// "NVJITLINK_ERROR_PTX_COMPILE (4)". Before 13.0 a result has other meanings beside its name: 3 and
// 6 stand for what 10 to 18 say later, so the log says more.
std::string nvjitlink_result(unsigned result);

// "CUDA_ERROR_INVALID_PTX (218)", by cuGetErrorName.
std::string driver_result(unsigned result);

// "NVRTC_ERROR_COMPILATION (6)", by nvrtcGetErrorString.
std::string nvrtc_result(unsigned result);

}  // namespace anycuda::linker
