// SPDX-License-Identifier: Apache-2.0

/* Stands for PyTorch's libtorch_cuda.so, which needs the runtime of its wheels and finds it by a
 * DT_RPATH. */
int anycuda_setup_torch(void) { return 0; }
