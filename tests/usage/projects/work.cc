// A library that has anycuda inside: it calls two CUDA libraries, whose archives go into one link.
#include <cuda_runtime_api.h>
#include <nvrtc.h>

#include <cstdio>

extern "C" int work() {
  int version = -1;
  const cudaError_t status = cudaRuntimeGetVersion(&version);
  int major = -1, minor = -1;
  const nvrtcResult compiler = nvrtcVersion(&major, &minor);
  std::printf("built %d: %d %d %s, nvrtc %d %d.%d\n", CUDART_VERSION / 1000, status, version,
              cudaGetErrorName(status), compiler, major, minor);
  return status;
}
