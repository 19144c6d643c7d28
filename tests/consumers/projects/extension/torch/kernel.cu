// SPDX-License-Identifier: Apache-2.0
__global__ void set(int* out) { *out = 1; }

int launch_kernel() {
  int* out = nullptr;
  if (cudaMalloc(&out, sizeof *out) == cudaSuccess) set<<<1, 1>>>(out);
  return cudaFree(out);
}
