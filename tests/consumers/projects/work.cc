// SPDX-License-Identifier: Apache-2.0

// A library that has anycuda inside: it calls two CUDA libraries, whose archives go into one link.
// It is C as well as C++.
#include <cuda_runtime_api.h>
#include <nvrtc.h>

#include <stdio.h>

#ifdef __cplusplus
extern "C"
#endif
    int
    work(void) {
  int version = -1;
  const cudaError_t status = cudaRuntimeGetVersion(&version);
  int major = -1, minor = -1;
  const nvrtcResult compiler = nvrtcVersion(&major, &minor);
  printf("built %d: %d %d %s, nvrtc %d %d.%d\n", CUDART_VERSION / 1000, status, version,
         cudaGetErrorName(status), compiler, major, minor);
  return status;
}
