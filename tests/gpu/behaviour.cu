// SPDX-License-Identifier: Apache-2.0

// What a call means, where two majors differ and no header shows it
// (docs/cross-major/behaviour.md). The source is the same for each nvcc; it runs natively and
// through the stub.
//
//   behaviour-12 [stub]     "stub": the program is served by anycuda
//
// Lines: "ok NAME expected N seen N", "FAIL ..." likewise, "value NAME N" where nothing is
// promised; at last "built 12 runtime 11.8 driver 13.0 failures 0". Exit status: number of
// failures.
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <thread>

namespace {

constexpr int kBuilt = CUDART_VERSION / 1000;
int failures = 0;
int runtime = 0;  // 11080
bool through_stub = false;

void expect(const char* name, long expected, long seen) {
  const bool ok = expected == seen;
  std::printf("%s %s expected %ld seen %ld\n", ok ? "ok" : "FAIL", name, expected, seen);
  failures += ok ? 0 : 1;
}
void value(const char* name, long seen) { std::printf("value %s %ld\n", name, seen); }

// The driver, asked past the runtime.
template <typename... Arguments>
int driver(const char* name, Arguments... arguments) {
  static void* library = dlopen("libcuda.so.1", RTLD_NOW);
  const auto function = reinterpret_cast<int (*)(Arguments...)>(dlsym(library, name));
  return function != nullptr ? function(arguments...) : -1;
}

// Is device 0's primary context made, and current in this thread?
long has_context() {
  void* current = nullptr;
  unsigned flags = 0;
  int active = 0;
  const int initialised = driver("cuCtxGetCurrent", &current);
  const int known = driver("cuDevicePrimaryCtxGetState", 0, &flags, &active);
  return initialised == 0 && known == 0 && current != nullptr && active != 0;
}

void versions() {
  int version = 0;
  expect("cudaRuntimeGetVersion", 0, cudaRuntimeGetVersion(&version));
  runtime = version;
}

// Since 12 cudaSetDevice makes the context. Callers of 12 and later rely on it, also on 11.
void set_device() {
  const bool makes = kBuilt >= 12 || runtime >= 12000;
  expect("cudaSetDevice", 0, cudaSetDevice(0));
  expect("cudaSetDevice makes the context", makes ? 1 : 0, has_context());
  expect("cudaFree", 0, cudaFree(nullptr));
  expect("cudaFree makes the context", 1, has_context());
  std::thread([&] {
    expect("cudaSetDevice in another thread", 0, cudaSetDevice(0));
    if (makes) expect("cudaSetDevice makes it current there", 1, has_context());
  }).join();
  expect("cudaSetDevice leaves no error", 0, cudaGetLastError());
  expect("cudaSetDevice of a missing device", cudaErrorInvalidDevice, cudaSetDevice(1 << 20));
  expect("cudaSetDevice remembers its error", cudaErrorInvalidDevice, cudaGetLastError());
  expect("cudaSetDeviceFlags on a context", 0, cudaSetDeviceFlags(cudaDeviceScheduleSpin));
}

// Nothing that cudaSetDevice does is forbidden while a stream captures.
void set_device_during_capture() {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  expect("cudaStreamCreate", 0, cudaStreamCreate(&stream));
  expect("cudaStreamBeginCapture", 0, cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  expect("cudaSetDevice during a capture", 0, cudaSetDevice(0));
  expect("cudaStreamEndCapture", 0, cudaStreamEndCapture(stream, &graph));
  if (graph != nullptr) expect("cudaGraphDestroy", 0, cudaGraphDestroy(graph));
  expect("cudaStreamDestroy", 0, cudaStreamDestroy(stream));
}

// Names of errors that came with 12.1 and 12.8.
void error_names() {
  const auto known = [](int error) {
    const char* unknown = cudaGetErrorName(static_cast<cudaError_t>(0x7fffffff));
    return std::strcmp(cudaGetErrorName(static_cast<cudaError_t>(error)), unknown) != 0;
  };
  const bool by_database = through_stub && kBuilt >= 12;
  expect("name of error 225", by_database || runtime >= 12010, known(225));
  expect("name of error 226", by_database || runtime >= 12080, known(226));
}

__global__ void wait_for(volatile int* flag) {
  while (*flag == 0) {
  }
}

// Work that is not done yet: what the questions about it answer, and what they leave behind.
void unfinished_work() {
  int* flag = nullptr;
  cudaEvent_t start = nullptr;
  cudaEvent_t end = nullptr;
  expect("cudaHostAlloc", 0, cudaHostAlloc(&flag, sizeof *flag, cudaHostAllocMapped));
  *flag = 0;
  expect("cudaEventCreate", 0, cudaEventCreate(&start));
  expect("cudaEventCreate", 0, cudaEventCreate(&end));
  expect("cudaEventRecord", 0, cudaEventRecord(start));
  wait_for<<<1, 1>>>(flag);
  expect("cudaEventRecord", 0, cudaEventRecord(end));
  expect("cudaStreamQuery", cudaErrorNotReady, cudaStreamQuery(nullptr));
  value("cudaGetLastError after cudaErrorNotReady", cudaGetLastError());
  float milliseconds = 0;
  value("cudaEventElapsedTime of a pending event", cudaEventElapsedTime(&milliseconds, start, end));
  cudaGetLastError();
  *static_cast<volatile int*>(flag) = 1;
  expect("cudaDeviceSynchronize", 0, cudaDeviceSynchronize());
  expect("cudaEventElapsedTime", 0, cudaEventElapsedTime(&milliseconds, start, end));
  cudaEventDestroy(start);
  cudaEventDestroy(end);
  cudaFreeHost(flag);
}

// After a reset: is there a context before the next call that needs one?
void reset() {
  expect("cudaDeviceReset", 0, cudaDeviceReset());
  value("context after cudaDeviceReset", has_context());
  expect("cudaSetDevice after cudaDeviceReset", 0, cudaSetDevice(0));
  if (kBuilt >= 12) expect("cudaSetDevice makes it again", 1, has_context());
  void* memory = nullptr;
  expect("cudaMalloc after cudaDeviceReset", 0, cudaMalloc(&memory, 16));
  expect("cudaFree after cudaDeviceReset", 0, cudaFree(memory));
}

void module_loading() {
  int mode = 0;
  if (driver("cuModuleGetLoadingMode", &mode) == 0) value("module loading, 1 eager 2 lazy", mode);
}

}  // namespace

int main(int argc, char** argv) {
  through_stub = argc > 1 && std::strcmp(argv[1], "stub") == 0;
  versions();
  int count = 0;
  const cudaError_t usable = cudaGetDeviceCount(&count);
  expect("cudaGetDeviceCount", 0, usable);
  if (usable != cudaSuccess) return failures;
  set_device();
  set_device_during_capture();
  error_names();
  unfinished_work();
  module_loading();
  reset();
  int driver_version = 0;
  cudaDriverGetVersion(&driver_version);
  std::printf("built %d runtime %d.%d driver %d.%d failures %d\n", kBuilt, runtime / 1000,
              runtime % 1000 / 10, driver_version / 1000, driver_version % 1000 / 10, failures);
  return failures;
}
