// SPDX-License-Identifier: Apache-2.0

// Looks up the stack from inside the library, in the middle of a first call and after it: the way
// back must lead through the stub to here.
#include <cstdio>

#include "../../threads/programs/strange.h"

char told[1024];
static Frames constructor_frames, call_frames;
Frames* frames_in_constructor = &constructor_frames;
Frames* frames_in_replay = nullptr;

namespace {

const void* way_back = nullptr;

template <typename Action>
__attribute__((noinline)) void below(Action action) {
  way_back = __builtin_return_address(0);
  action();
  asm volatile("");  // no tail call: this frame must be there
}

bool leads_back(const Frames& frames) {
  for (int i = 0; i < frames.count; ++i) {
    if (frames.addresses[i] == way_back) return true;
  }
  return false;
}

}  // namespace

int main() {
  below([] { cudaMemcpyFromArray(&call_frames); });
  std::printf("constructor %d, call %d\n", leads_back(constructor_frames), leads_back(call_frames));
  return 0;
}
