// SPDX-License-Identifier: Apache-2.0

// The process forks while one of its threads registers kernels. Most forks stop this thread in the
// middle of a registration. The argument is the number of children; each of them calls CUDA.
#include "forking.h"
#include "hooks.h"

using namespace anycuda::test;

namespace {

constexpr int kMostKernels = 1000000;
std::atomic<bool> stop{false};

void register_kernels(Stage* stage) {
  static int fat_binary;
  static char name[] = "kernel";
  void** handle = __cudaRegisterFatBinary(&fat_binary);
  for (int i = 0; i < kMostKernels && !stop; ++i) {
    __cudaRegisterFunction(handle, name, name, name, -1, nullptr, nullptr, nullptr, nullptr,
                           nullptr);
    stage->reach(1);
  }
  __cudaRegisterFatBinaryEnd(handle);
}

}  // namespace

int main(int, char** arguments) {
  const int children = std::atoi(arguments[1]);
  // A process has one log, so every child comes from another process.
  for (int i = 0; i < children; ++i) {
    const pid_t process = fork();
    if (process == 0) {
      Stage stage;
      std::thread thread([&] { register_kernels(&stage); });
      stage.wait_for(1);
      wait_for_child(fork_a_caller());
      stop = true;
      thread.join();
      std::fflush(stdout);
      _exit(0);
    }
    wait_for_child(process);
  }
  return 0;
}
