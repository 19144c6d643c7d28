// SPDX-License-Identifier: Apache-2.0

// The runtime itself calls CUDA: from its constructor, while it takes in a fat binary, and from
// inside a call. Each time the call comes through the stub, in the middle of the stub's own work.
#include <cstdio>

#include "hooks.h"
#include "runtime.h"

namespace {

struct Answer {
  int status = -1;
  int value = 0;
};
Answer constructor, fat_binary, call;
int a_fat_binary;

}  // namespace

extern "C" void in_constructor() { constructor.status = cudaRuntimeGetVersion(&constructor.value); }
extern "C" void in_fat_binary() { fat_binary.status = cudaGetDeviceCount(&fat_binary.value); }
extern "C" void in_call() { call.status = cudaRuntimeGetVersion(&call.value); }

int main() {
  anycuda::test::register_kernel(&a_fat_binary, "kernel");
  Answer first;
  first.status = cudaGetDeviceCount(&first.value);
  std::printf("constructor %d:%d, fat binary %d:%d, call %d:%d, first %d:%d\n", constructor.status,
              constructor.value, fat_binary.status, fat_binary.value, call.status, call.value,
              first.status, first.value);
  return 0;
}
