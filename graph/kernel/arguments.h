// SPDX-License-Identifier: Apache-2.0

// What the driver tells about a kernel's parameters, against what a node gives it.
#pragma once

#include "anycuda/graph/launch.h"

namespace anycuda::graph {

// Whether the kernel has at least one parameter. False if the driver does not tell.
// The size of a parameter, in bytes. False: the kernel has fewer parameters, or the driver does not
// tell.
bool parameter_size(CUfunction function, std::size_t number, std::size_t* size) noexcept;
bool takes_arguments(CUfunction function) noexcept;

struct ArgumentCheck {
  // An error for an empty or closed Buffer, and for other numbers and sizes than the kernel's, if
  // the driver tells these.
  static CUresult run(CUfunction function, const Arguments& arguments) noexcept;
};

}  // namespace anycuda::graph
