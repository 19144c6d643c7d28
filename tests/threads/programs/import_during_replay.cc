// SPDX-License-Identifier: Apache-2.0

// A thread is in the middle of replaying what the program has registered when another thread
// imports an object whose constructor calls CUDA. The constructor holds the loader's lock and has
// to wait for the replay: so the replay must get by without that lock.
#include <dlfcn.h>

#include <cstdio>

#include "hooks.h"
#include "runtime.h"

namespace {

anycuda::test::Stage stage;
enum { kReplaying = 1, kImporting };

int fat_binaries[2];
int import_status = -1;
int import_count = 0;

}  // namespace

extern "C" void in_fat_binary() {
  stage.reach(kReplaying);
  stage.wait_for(kImporting);
}

extern "C" void in_import() {
  stage.reach(kImporting);
  anycuda::test::register_kernel(&fat_binaries[1], "of_the_object");
  import_status = cudaGetDeviceCount(&import_count);
}

int main(int, char** arguments) {
  anycuda::test::register_kernel(&fat_binaries[0], "of_the_program");
  int status = -1;
  int count = 0;
  std::thread first([&] { status = cudaGetDeviceCount(&count); });
  stage.wait_for(kReplaying);
  const bool imported = dlopen(arguments[1], RTLD_NOW) != nullptr;
  first.join();
  std::printf("imported %d, first call %d:%d, import's call %d:%d\n", imported, status, count,
              import_status, import_count);
  return 0;
}
