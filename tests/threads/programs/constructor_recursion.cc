// SPDX-License-Identifier: Apache-2.0

// The very first call comes from inside the runtime's constructor's own thread while sixty-four
// others make theirs: all get the same answer.
#include <cstdio>

#include "hooks.h"
#include "runtime.h"
#include "together.h"

namespace {
std::atomic<int> wrong{0};
void ask() {
  int count = 0;
  int version = 0;
  const int status = cudaGetDeviceCount(&count);
  if (status != 0 || count != 3 || cudaRuntimeGetVersion(&version) != 0 || version != 12090) {
    ++wrong;
  }
}
}  // namespace

extern "C" void in_constructor() { ask(); }

int main() {
  anycuda::test::together(64, [](int) { ask(); });
  std::printf("wrong answers: %d\n", wrong.load());
  return 0;
}
