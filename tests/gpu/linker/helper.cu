// SPDX-License-Identifier: Apache-2.0

// What fatbin, object and library inputs are made of: the other half of the topics' kernel.
extern "C" __device__ int twice(int value) { return 2 * value; }
