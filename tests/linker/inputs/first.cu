// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void first(int* out) { *out = 1; }
