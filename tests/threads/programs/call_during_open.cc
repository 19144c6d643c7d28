// SPDX-License-Identifier: Apache-2.0

// A thread makes its first call while another one is inside the runtime's own constructor: the
// loader's lock is held by the first call of all.
#include <cstdio>

#include "hooks.h"
#include "runtime.h"

namespace {
anycuda::test::Stage stage;
enum { kOpening = 1, kCalling };
}  // namespace

extern "C" void in_constructor() {
  stage.reach(kOpening);
  stage.wait_for(kCalling);
  // Time for the other thread to come as far as it can.
  for (int i = 0; i < 1000; ++i) std::this_thread::yield();
}

int main() {
  int status[2] = {-1, -1};
  int count[2] = {};
  std::thread first([&] { status[0] = cudaGetDeviceCount(&count[0]); });
  std::thread second([&] {
    stage.wait_for(kOpening);
    stage.reach(kCalling);
    status[1] = cudaGetDeviceCount(&count[1]);
  });
  first.join();
  second.join();
  std::printf("first %d:%d, second %d:%d\n", status[0], count[0], status[1], count[1]);
  return 0;
}
