// SPDX-License-Identifier: Apache-2.0

// The process forks while one of its threads opens the runtime, that is inside the runtime's
// constructor with the loader's lock held. (glibc gives the child a new lock.)
#include "forking.h"
#include "hooks.h"

using namespace anycuda::test;

namespace {
Stage stage;
enum { kOpening = 1, kForked };
const pid_t parent = getpid();
}  // namespace

extern "C" void in_constructor() {
  if (getpid() != parent) return;
  stage.reach(kOpening);
  stage.wait_for(kForked);
}

int main() {
  static int fat_binary;
  register_kernel(&fat_binary, "kernel");
  std::thread first([] { call_and_tell("parent"); });
  stage.wait_for(kOpening);
  const pid_t child = fork_a_caller();
  wait_for_child(child);
  stage.reach(kForked);
  first.join();
  return 0;
}
