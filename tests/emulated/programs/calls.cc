// SPDX-License-Identifier: Apache-2.0

// Compiled once for each CUDA major with its headers, and linked to record it: every line that it
// prints is one call and its result. It has no GPU, so what matters is which library answered, and
// that arguments and results are where AAPCS64 places them.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstring>

namespace {

void versions() {
  int runtime = -1, driver = -1;
  const int first = cudaRuntimeGetVersion(&runtime);
  const int second = cudaDriverGetVersion(&driver);
  std::printf("runtime %d %d\ndriver %d %d\n", first, runtime, second, driver);
}

void errors() {
  std::printf("35 %s, %s\n", cudaGetErrorName(cudaErrorInsufficientDriver),
              cudaGetErrorString(cudaErrorInsufficientDriver));
  int count = -1;
  const int status = cudaGetDeviceCount(&count);
  std::printf("devices %d, then %d\n", status, cudaPeekAtLastError());
}

// 20 bytes: the caller's place for it is in x8, and the arguments begin in x0.
void structure() {
  cudaChannelFormatDesc made;
  std::memset(&made, 0xff, sizeof made);
  made = cudaCreateChannelDesc(8, 16, 24, 32, cudaChannelFormatKindFloat);
  std::printf("channel %d %d %d %d %d\n", made.x, made.y, made.z, made.w, made.f);
}

void failing() {
  std::size_t left = 7, all = 8;
  std::printf("memory %d", cudaMemGetInfo(&left, &all));
  std::printf(" %zu %zu\n", left, all);
#if CUDART_VERSION >= 12080 && CUDART_VERSION < 13000
  std::size_t failed = 9;  // the last but one of nine arguments: x7 here, the stack on x86_64
  std::printf("batch %d", cudaMemcpyBatchAsync(nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0,
                                               &failed, nullptr));
  std::printf(" %zu\n", failed);
#endif
#if CUDART_VERSION >= 13000
  unsigned kernels = 7;
  std::printf("library %d", cudaLibraryGetKernelCount(&kernels, nullptr));
  std::printf(" %u, then %d\n", kernels, cudaPeekAtLastError());
#endif
}

// What is passed by value: two words each for dim3 (12 bytes), a pointer to a copy for cudaExtent
// (24 bytes).
void by_value() {
  static int kernel;
  void* arguments[1] = {};
  std::printf("launch %d\n", cudaLaunchKernel(&kernel, dim3(1, 2, 3), dim3(4, 5, 6), arguments, 7,
                                              reinterpret_cast<cudaStream_t>(8)));
  cudaPitchedPtr place = {};
  std::printf("3D %d", cudaMalloc3D(&place, cudaExtent{11, 12, 13}));
  std::printf(" %zu %zu %zu\n", place.pitch, place.xsize, place.ysize);
#if CUDART_VERSION < 13000
  std::printf("advise %d\n", cudaMemAdvise(&kernel, 21, cudaMemAdviseSetPreferredLocation, 22));
#else
  cudaMemLocation location = {};
  location.type = cudaMemLocationTypeDevice;
  location.id = 22;
  std::printf("advise %d\n",
              cudaMemAdvise(&kernel, 21, cudaMemAdviseSetPreferredLocation, location));
#endif
  // Nine arguments: the last is on the stack.
  std::printf("2D %d\n", cudaMemcpy2DArrayToArray(reinterpret_cast<cudaArray_t>(31), 32, 33,
                                                  reinterpret_cast<cudaArray_const_t>(34), 35, 36,
                                                  37, 38, cudaMemcpyDeviceToDevice));
}

}  // namespace

int main(int count, char** words) {
  for (int i = 1; i < count; ++i) {
    if (std::strcmp(words[i], "versions") == 0) versions();
    if (std::strcmp(words[i], "errors") == 0) errors();
    if (std::strcmp(words[i], "structure") == 0) structure();
    if (std::strcmp(words[i], "failing") == 0) failing();
    if (std::strcmp(words[i], "by_value") == 0) by_value();
  }
  return 0;
}
