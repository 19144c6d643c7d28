// Looks up the stack, and throws, from inside the library during a first call: the way back must
// lead through the stub to here. What is thrown is of a copy of the C++ library that zig linked
// into that library, so only `...` catches it; tests/threads/programs/unwinding.cc has the type
// too.
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
  try {
    below([] { cudaMemcpyToArray(13); });
    std::printf("nothing was thrown\n");
  } catch (...) {
    std::printf("caught\n");
  }
  return 0;
}
