// SPDX-License-Identifier: Apache-2.0

// The calls of CUDA 3 that 11 and 12 still have: cudaThread..., doubles by pointer, the profiler.
#include "kernels.h"
#include "later.h"
#include "support.h"
#include "topics.h"

// Declared in cuda_profiler_api.h, which is in another package.
extern "C" cudaError_t cudaProfilerStart();
extern "C" cudaError_t cudaProfilerStop();
#if CUDART_VERSION < 12000
extern "C" cudaError_t cudaProfilerInitialize(const char* config, const char* output,
                                              cudaOutputMode mode);
#endif

namespace conformance {

namespace {

void profiler() {
  {
    Check check("threads.profiler");
    STATUS(check, "start", cudaProfilerStart());
    STATUS(check, "stop", cudaProfilerStop());
  }
#if CUDART_VERSION < 12000
  Check check("threads.profiler_initialize");
  STATUS(check, "status", cudaProfilerInitialize("config", "output", cudaCSV));
  STATUS(check, "null", cudaProfilerInitialize(nullptr, nullptr, cudaKeyValuePair));
#endif
}

#if CUDART_VERSION < 13000
void limits() {
  Check check("threads.limits");
  Guarded<std::size_t> before;
  if (!CALL(check, cudaThreadGetLimit(before.get(), cudaLimitStackSize))) return;
  INTACT(check, before);
  check.value("stack", *before);
  CALL(check, cudaThreadSetLimit(cudaLimitStackSize, 4096));
  std::size_t now = 0;
  CALL(check, cudaDeviceGetLimit(&now, cudaLimitStackSize));
  EQUAL(check, now, 4096U);
  CALL(check, cudaThreadSetLimit(cudaLimitStackSize, *before));
  STATUS(check, "unknown", cudaThreadSetLimit(static_cast<cudaLimit>(99), 1));
}

void caches() {
  Check check("threads.caches");
  Guarded<cudaFuncCache> got;
  if (!CALL(check, cudaThreadSetCacheConfig(cudaFuncCachePreferL1))) return;
  CALL(check, cudaThreadGetCacheConfig(got.get()));
  INTACT(check, got);
  check.value("config", *got);
  CALL(check, cudaThreadSetCacheConfig(cudaFuncCachePreferNone));
}

void doubles() {
  Check check("threads.doubles");
  Guarded<double> number(1.25);
  if (!CALL(check, cudaSetDoubleForDevice(number.get()))) return;
  INTACT(check, number);
  EQUAL(check, *number, 1.25);
  if (!CALL(check, cudaSetDoubleForHost(number.get()))) return;
  EQUAL(check, *number, 1.25);
}

void synchronize_and_exit() {
  Check check("threads.synchronize_and_exit");
  {
    DeviceArray<int> data(check, kCount);
    if (!check) return;
    add<<<1, kCount>>>(data.get(), kCount, 1);
    CALL(check, cudaThreadSynchronize());
    data.expect("after the kernel", 1);
  }
  if (!CALL(check, cudaThreadExit())) return;
  // The device starts anew, and kernels are still known.
  DeviceArray<int> data(check, kCount);
  if (!check) return;
  add<<<1, kCount>>>(data.get(), kCount, 2);
  CALL(check, cudaGetLastError());
  data.expect("after the exit", 2);
}
#endif

}  // namespace

void threads() {
  profiler();
#if CUDART_VERSION < 13000
  limits();
  caches();
  doubles();
  synchronize_and_exit();
#endif
}

}  // namespace conformance
