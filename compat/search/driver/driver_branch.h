// The display driver's branch: libnvidia-ml.so.1 found, opened and asked.
#pragma once

#include "compat/base/arena.h"

namespace anycuda {

struct BranchFound {
  int number = 0;          // 535; 0: nobody could say it
  const char* cause = "";  // then: what was asked and what it said. In the arena, or for ever
};

// Asks the NVML that lies beside the driver's file, or beside what that is a link to: the driver's
// own. Where there is none, the one that the dynamic linker would take. Asked anew at each call;
// thread-safe. The library stays open, unless the process had it before; NVML itself is shut down
// again.
BranchFound find_branch(const char* driver_path, Arena* arena);

// The compute capability of the driver's oldest GPU, 75 for 7.5, by the same NVML; 0: not known.
int find_oldest_gpu(const char* driver_path);

}  // namespace anycuda
