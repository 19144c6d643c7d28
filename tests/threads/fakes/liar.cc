// SPDX-License-Identifier: Apache-2.0

// A runtime of CUDA 13 by its SONAME and symbols that reports 12.9: it is opened, queried and
// closed again. A caller that gets its answer has the wrong library.
#include <sched.h>

#include "../programs/hooks.h"

// While the loader runs this, other threads' first calls catch up.
__attribute__((constructor)) static void let_others_catch_up() {
  for (int i = 0; i < 50; ++i) sched_yield();
}

extern "C" {
int cudaGetDeviceCount(int* count) { return *count = 7, 0; }
int cudaRuntimeGetVersion(int* version) {
  if (in_version != nullptr) in_version();
  return *version = 12090, 0;
}
}
