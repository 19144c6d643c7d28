// SPDX-License-Identifier: Apache-2.0

// The program has a library open that the stub looks at and refuses (fakes/liar.cc, or a file that
// lacks functions), and closes it. The argument: the library. Says whether it is gone then.
#include <dlfcn.h>

#include <cstdio>

#include "runtime.h"

int main(int, char** arguments) {
  void* const library = dlopen(arguments[1], RTLD_NOW);
  if (library == nullptr) return 2;
  int count = 0;
  const int status = cudaGetDeviceCount(&count);
  dlclose(library);
  const bool stays = dlopen(arguments[1], RTLD_NOW | RTLD_NOLOAD) != nullptr;
  std::printf("%d:%d %s\n", status, count, stays ? "pinned" : "unloaded");
  return 0;
}
