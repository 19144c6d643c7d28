// SPDX-License-Identifier: Apache-2.0

// An object's constructor makes a first call, with the loader's lock held, while another thread
// makes its own and needs that lock to open the runtime.
#include <dlfcn.h>

#include <cstdio>

#include "hooks.h"
#include "runtime.h"

namespace {

anycuda::test::Stage stage;
enum { kImporting = 1, kCalling };

int fat_binaries[2];
int import_status = -1;
int import_count = 0;

}  // namespace

extern "C" void in_import() {
  anycuda::test::register_kernel(&fat_binaries[1], "of_the_object");
  stage.reach(kImporting);
  stage.wait_for(kCalling);
  for (int i = 0; i < 1000; ++i) std::this_thread::yield();
  import_status = cudaGetDeviceCount(&import_count);
}

int main(int, char** arguments) {
  anycuda::test::register_kernel(&fat_binaries[0], "of_the_program");
  int status = -1;
  int count = 0;
  std::thread other([&] {
    stage.wait_for(kImporting);
    stage.reach(kCalling);
    status = cudaGetDeviceCount(&count);
  });
  const bool imported = dlopen(arguments[1], RTLD_NOW) != nullptr;
  other.join();
  std::printf("imported %d, import's call %d:%d, other call %d:%d\n", imported, import_status,
              import_count, status, count);
  return 0;
}
