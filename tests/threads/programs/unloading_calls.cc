// SPDX-License-Identifier: Apache-2.0

// A library is unloaded during a failing call, in the worst moment: after the dynamic linker has
// said that it is loaded, if the stub asks that. The arguments: this library, a runtime that is
// loaded then. Says what each call gives.
#include <dlfcn.h>

#include <cstdio>
#include <utility>

#include "runtime.h"

int loaded_plain = 0;

namespace {

void* library = nullptr;
bool is_armed = false;

void call(const char* when) {
  int count = 0;
  const int status = cudaGetDeviceCount(&count);
  std::printf("%s %d:%d\n", when, status, count);
}

}  // namespace

// Found before the dynamic linker's own. By another name here: headers of glibc 2.35 declare it.
extern "C" __attribute__((visibility("default"))) int find_object(void* address, void* result) asm(
    "_dl_find_object");
int find_object(void* address, void* result) {
  using Find = int (*)(void*, void*);
  static const auto real = reinterpret_cast<Find>(dlsym(RTLD_NEXT, "_dl_find_object"));
  const int answer = real != nullptr ? real(address, result) : -1;
  if (std::exchange(is_armed, false)) dlclose(library);
  return answer;
}

int main(int, char** arguments) {
  library = dlopen(arguments[1], RTLD_NOW);
  call("loaded");
  is_armed = true;
  call("unloaded meanwhile");
  if (std::exchange(is_armed, false)) dlclose(library);  // the call has not asked
  std::printf("library %s\n", loaded_plain == 0 ? "unloaded" : "still loaded");
  call("unloaded");
  if (dlopen(arguments[2], RTLD_NOW) == nullptr) return 2;
  call("runtime loaded");
  return 0;
}
