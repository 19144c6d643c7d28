// SPDX-License-Identifier: Apache-2.0

/* The part of a runtime whose calls fail and that remembers it, each thread for itself. */
static _Thread_local int last_error;

int cudaMalloc(void** memory, unsigned long size) {
  (void)memory;
  (void)size;
  return last_error = 2;
}
int cudaGetDevice(int* device) {
  (void)device;
  return last_error = 3;
}
int cudaPeekAtLastError(void) { return last_error; }
int cudaGetLastError(void) {
  const int error = last_error;
  last_error = 0;
  return error;
}
