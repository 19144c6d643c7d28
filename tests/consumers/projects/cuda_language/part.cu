// SPDX-License-Identifier: Apache-2.0

// The CUDA source of a program whose other source is C++.
__global__ void set(int* out) { *out = 1; }
