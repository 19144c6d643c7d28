// SPDX-License-Identifier: Apache-2.0

// 64 threads make the process's first calls through all four stubs at once. Prints the answers,
// once if all threads got the same.
#include <dlfcn.h>

#include <array>
#include <cstdio>
#include <set>

#include "together.h"

extern "C" {
int cudaGetDeviceCount(int*);
int cudaRuntimeGetVersion(int*);
int cudaDriverGetVersion(int*);
int nvrtcVersion(int*, int*);
int nvJitLinkVersion(unsigned*, unsigned*);
int cuInit(unsigned);
int cuDriverGetVersion(int*);
}

namespace {

constexpr int kThreads = 64;
using Answers = std::array<int, 16>;

// Programs that were built for CUDA 12 come by another way than those linked against the stub.
using GetInteger = int (*)(int*);
GetInteger runtime_version_for_12 = nullptr;

// Each thread begins with another stub, so that they also meet in the middle of each other's work:
// the runtime's stub looks for the driver too.
Answers ask(int first) {
  Answers a{};
  for (int step = 0; step < 4; ++step) {
    switch ((first + step) % 4) {
      case 0:
        a[0] = cudaGetDeviceCount(&a[1]);
        a[2] = cudaRuntimeGetVersion(&a[3]);
        a[4] = runtime_version_for_12(&a[5]);
        a[6] = cudaDriverGetVersion(&a[7]);
        break;
      case 1:
        a[8] = nvrtcVersion(&a[9], &a[10]);
        break;
      case 2: {
        unsigned major = 0;
        unsigned minor = 0;
        a[11] = nvJitLinkVersion(&major, &minor);
        a[12] = static_cast<int>(major * 100 + minor);
        break;
      }
      default:
        a[13] = cuInit(0);
        a[14] = cuDriverGetVersion(&a[15]);
    }
  }
  return a;
}

}  // namespace

int main() {
  runtime_version_for_12 = reinterpret_cast<GetInteger>(
      dlvsym(RTLD_DEFAULT, "cudaRuntimeGetVersion", "libcudart.so.12"));
  if (runtime_version_for_12 == nullptr) {
    std::fprintf(stderr, "the stub has no cudaRuntimeGetVersion@libcudart.so.12: %s\n", dlerror());
    return 2;
  }
  std::array<Answers, kThreads> told{};
  anycuda::test::together(kThreads, [&](int i) { told[static_cast<std::size_t>(i)] = ask(i); });
  for (const Answers& a : std::set<Answers>(told.begin(), told.end())) {
    std::printf(
        "devices %d:%d runtime %d:%d runtime12 %d:%d driver %d:%d nvrtc %d:%d.%d "
        "nvjitlink %d:%d cuInit %d cuDriver %d:%d\n",
        a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13],
        a[14], a[15]);
  }
  return 0;
}
