// SPDX-License-Identifier: Apache-2.0

/* As NVIDIA's runtime does it: what its constructor registers for the exit tears it down. */
#include <stdlib.h>

static int is_over;

static void tear_down(void) { is_over = 1; }

__attribute__((constructor)) static void set_up(void) { atexit(tear_down); }

int cudaGetDeviceCount(int* count) {
  *count = 1;
  return is_over ? 4 : 0; /* cudaErrorCudartUnloading */
}
