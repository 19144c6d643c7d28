// SPDX-License-Identifier: Apache-2.0

// Calls what another module defines.
__device__ int helper(int x);
extern "C" __global__ void kernel(int* out) { *out = helper(*out); }
