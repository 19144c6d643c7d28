// SPDX-License-Identifier: Apache-2.0

// The fake libraries' answers for programs that check them: the same everywhere, so that one file
// serves all four.
#include <sched.h>

// While the loader runs this, other threads' first calls catch up.
__attribute__((constructor)) static void let_others_catch_up() {
  for (int i = 0; i < 50; ++i) sched_yield();
}

extern "C" {
int cudaGetDeviceCount(int* count) { return *count = 3, 0; }
int cudaRuntimeGetVersion(int* version) { return *version = 12090, 0; }
int cudaDriverGetVersion(int* version) { return *version = 12090, 0; }
int nvrtcVersion(int* major, int* minor) { return *major = 12, *minor = 9, 0; }
int nvJitLinkVersion(unsigned* major, unsigned* minor) { return *major = 12, *minor = 9, 0; }
int cuDriverGetVersion(int* version) { return *version = 12090, 0; }
}
