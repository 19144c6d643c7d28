// SPDX-License-Identifier: Apache-2.0

// The process forks while one of its threads replays. The child has not got that thread.
#include "forking.h"
#include "hooks.h"

using namespace anycuda::test;

namespace {
Stage stage;
enum { kReplaying = 1, kForked };
const pid_t parent = getpid();
}  // namespace

extern "C" void in_fat_binary() {
  if (getpid() != parent) return;
  stage.reach(kReplaying);
  stage.wait_for(kForked);
}

int main() {
  static int fat_binaries[3];
  const char* names[] = {"one", "two", "three"};
  for (int i = 0; i < 3; ++i) register_kernel(&fat_binaries[i], names[i]);
  std::thread first([] { call_and_tell("parent"); });
  stage.wait_for(kReplaying);
  const pid_t child = fork_a_caller();
  wait_for_child(child);
  stage.reach(kForked);
  first.join();
  return 0;
}
