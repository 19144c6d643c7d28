// SPDX-License-Identifier: Apache-2.0

// Looks up the stack, and throws, from inside the library during first calls: the way back must
// lead through the stub to here.
#include <cstdio>
#include <stdexcept>

#include "runtime.h"
#include "strange.h"

char told[1024];
static Frames constructor_frames, replay_frames, call_frames;
Frames* frames_in_constructor = &constructor_frames;
Frames* frames_in_replay = &replay_frames;

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
  static int fat_binary;
  __cudaRegisterFatBinaryEnd(__cudaRegisterFatBinary(&fat_binary));
  below([] { cudaMemcpyFromArray(&call_frames); });
  std::printf("constructor %d, replay %d, call %d\n", leads_back(constructor_frames),
              leads_back(replay_frames), leads_back(call_frames));
  try {
    below([] { cudaMemcpyToArray(13); });
    std::printf("nothing was thrown\n");
  } catch (const std::runtime_error& error) {
    std::printf("caught %s\n", error.what());
  }
  return 0;
}
