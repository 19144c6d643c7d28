// SPDX-License-Identifier: Apache-2.0

/* Four functions of a CUDA runtime, as applications ship them in a libcudart.so.12 of their own. */
int cudaGetDeviceCount(int* count) {
  *count = 0;
  return 100;
}
int cudaGetLastError(void) { return 0; }
int cudaMalloc(void** memory, unsigned long size) { return size != 0 && memory != 0 ? 2 : 1; }
const char* cudaGetErrorString(int error) { return error == 0 ? "none" : "some"; }
