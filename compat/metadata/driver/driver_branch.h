// SPDX-License-Identifier: Apache-2.0

// The display driver's branch: libnvidia-ml.so.1 found, opened and asked.
#pragma once

#include "compat/base/arena.h"

namespace anycuda {

struct BranchFound {
  int number = 0;            // 535; 0: unknown
  const char* cause = "";    // then: the failed query. In the arena, or static
  const char* version = "";  // "535.309.01", as NVML reports it; "" where the branch is unknown
};

// Asks the driver's NVML: the one beside the driver's file, or beside the file that it is a link
// to. If that is missing, asks the NVML that the dynamic linker would take. Every call asks again;
// thread-safe. The library stays open, unless the process had it before; NVML is shut down again.
BranchFound find_branch(const char* driver_path, Arena* arena);

}  // namespace anycuda
