// SPDX-License-Identifier: Apache-2.0

// When settings count. The first argument:
//   early PATH  the variable that names the runtime is set by the program, before its first call
//   late PATH   it is set after the first call, to a file that is not there; then the runtime is
//               loaded by the program
//   storm PATH  with that runtime, threads call without a pause what it does not have, while
//               variables are set
#include <dlfcn.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "runtime.h"

extern "C" int cudaProfilerStart();  // not in the runtime

namespace {

void call(const char* when) {
  int count = 0;
  const int status = cudaGetDeviceCount(&count);
  std::printf("%s %d:%d\n", when, status, count);
}

// The list of variables grows all the time, so that libc moves it, and what it leaves is written
// over.
void storm() {
  constexpr int kVariables = 20000;
  std::printf("before %d\n", cudaProfilerStart());
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      while (!done) cudaProfilerStart();
    });
  }
  for (int i = 0; i < kVariables; ++i) {
    if (i % 500 == 0) clearenv();
    setenv(("ANYCUDA_STORM_" + std::to_string(i)).c_str(), "value", 1);
    const std::vector<char> taken(sizeof(char*) * static_cast<std::size_t>(i % 500 + 2), 'x');
    if (taken.back() != 'x') return;
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
  std::printf("after %d\n", cudaProfilerStart());
}

}  // namespace

int main(int, char** arguments) {
  if (std::strcmp(arguments[1], "storm") == 0) {
    setenv("ANYCUDA_CUDART", arguments[2], 1);
    storm();
  } else if (std::strcmp(arguments[1], "early") == 0) {
    setenv("ANYCUDA_CUDART", arguments[2], 1);
    call("named");
  } else {
    call("first");
    setenv("ANYCUDA_CUDART", "/nothing", 1);
    if (dlopen(arguments[2], RTLD_NOW) == nullptr) return 2;
    call("loaded");
  }
  return 0;
}
