// SPDX-License-Identifier: Apache-2.0

// Whether the other libraries of a CUDA are where one of them is.
#pragma once

#include "compat/search/gathered.h"

namespace anycuda {

// For the library at `path`, of that CUDA major: the SONAME of the first other library for which
// the process has loaded a stub, and which is neither in the folder nor in the wheels of the same
// site; nullptr: all are there.
const char* missing_counterpart(Gathered* gathered, const char* path, int major);

}  // namespace anycuda
