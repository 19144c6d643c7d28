// SPDX-License-Identifier: Apache-2.0

// Counts the walks over the list of loaded objects that registrations take, before and after the
// first call.
#include <cstdio>

#include "runtime.h"
#include "walks.h"

using namespace anycuda::test;

namespace {

int walks_of_a_registration() {
  static int fat_binaries[2];
  static int count = 0;
  const int before = walks;
  __cudaUnregisterFatBinary(register_kernel(&fat_binaries[count++], "kernel"));
  return walks - before;
}

}  // namespace

int main() {
  std::printf("before a call: %d\n", walks_of_a_registration());
  int devices = 0;
  const int before = walks;
  cudaGetDeviceCount(&devices);
  std::printf("call: %s\n", walks != before ? "some" : "none");
  std::printf("after it: %d\n", walks_of_a_registration());
  return 0;
}
