// SPDX-License-Identifier: Apache-2.0

// Registered before a fork, called after it on both sides.
#include "forking.h"

using namespace anycuda::test;

int main() {
  static int fat_binaries[3];
  const char* names[] = {"one", "two", "three"};
  for (int i = 0; i < 3; ++i) register_kernel(&fat_binaries[i], names[i]);
  const pid_t child = fork_a_caller();
  wait_for_child(child);
  call_and_tell("parent");
  return 0;
}
