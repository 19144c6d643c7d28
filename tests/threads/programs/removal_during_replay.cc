// SPDX-License-Identifier: Apache-2.0

// A thread is in the middle of replaying what an object has registered when another thread closes
// that object. Its destructor holds the loader's lock and has to wait: the runtime may be reading
// the fat binary at that very moment.
#include <dlfcn.h>

#include <cstdio>

#include "hooks.h"
#include "runtime.h"

namespace {

anycuda::test::Stage stage;
enum { kReplaying = 1, kRemoving };

int fat_binaries[2];
void** handle = nullptr;

}  // namespace

extern "C" void in_fat_binary() {
  stage.reach(kReplaying);
  stage.wait_for(kRemoving);
}
extern "C" void in_import() { handle = anycuda::test::register_kernel(&fat_binaries[0], "kernel"); }
extern "C" void in_removal() {
  stage.reach(kRemoving);
  __cudaUnregisterFatBinary(handle);
}

int main(int, char** arguments) {
  void* object = dlopen(arguments[1], RTLD_NOW);
  anycuda::test::register_kernel(&fat_binaries[1], "to_be_replayed_while_the_other_one_waits");
  int status = -1;
  int count = 0;
  std::thread first([&] { status = cudaGetDeviceCount(&count); });
  stage.wait_for(kReplaying);
  const bool closed = object != nullptr && dlclose(object) == 0;
  first.join();
  std::printf("closed %d, first call %d:%d\n", closed, status, count);
  return 0;
}
