// SPDX-License-Identifier: Apache-2.0

// Kernels from source, through anycuda::Program: the GPU tests of linker/ and graph/ need no nvcc.
#pragma once

#include <string>

namespace gputest {

// For this GPU. Throws what the compiler said.
std::string compile_cubin(const char* source);

}  // namespace gputest
