// SPDX-License-Identifier: Apache-2.0

// After a failing call other libraries come and go, then a runtime comes. The arguments: the other
// library, the runtime. Says what each call gives, and how often the list of loaded objects was
// walked for it.
#include <cstdio>
#include <cstring>

#include "runtime.h"
#include "walks.h"

int loaded_plain = 0;

namespace {

void call(const char* when) {
  int count = 0;
  const int before = anycuda::test::walks;
  const int status = cudaGetDeviceCount(&count);
  std::printf("%s %d:%d %s\n", when, status, count,
              anycuda::test::walks == before ? "without a walk" : "with walks");
}

}  // namespace

int main(int, char** arguments) {
  call("nothing");
  call("nothing again");
  void* const other = dlopen(arguments[1], RTLD_NOW);
  call("other loaded");
  call("other loaded, again");
  dlclose(other);
  std::printf("other %s\n", loaded_plain == 0 ? "unloaded" : "pinned");
  call("other unloaded");
  call("other unloaded, again");
  if (dlopen(arguments[2], RTLD_NOW) == nullptr) return 2;
  call("runtime loaded");
  return 0;
}
