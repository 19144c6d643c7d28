// SPDX-License-Identifier: Apache-2.0

// While a thread replays, the runtime calls the stub: that call goes on at once. Another thread's
// call of the same function must not: it sleeps until all registrations are made, however its
// priority compares with the replaying thread's.
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>

#include "hooks.h"
#include "runtime.h"
#include "thread_state.h"

namespace {

anycuda::test::Stage stage;
enum { kNested = 1 };

int nested_status = -1;
int nested_count = 0;
int other_status = -1;
int other_count = 0;
std::atomic<long> other_thread{0};  // its number; -1 when it has its answer

}  // namespace

extern "C" void in_fat_binary() {
  if (nested_status == 0) return;
  nested_status = cudaGetDeviceCount(&nested_count);
  stage.reach(kNested);
  while (other_thread == 0) std::this_thread::yield();
  while (other_thread != -1 && anycuda::test::state_of(other_thread) != 'S')
    std::this_thread::yield();
}

int main() {
  static int fat_binaries[2];
  anycuda::test::register_kernel(&fat_binaries[0], "one");
  anycuda::test::register_kernel(&fat_binaries[1], "two");
  std::thread other([] {
    stage.wait_for(kNested);
    other_thread = syscall(SYS_gettid);
    other_status = cudaGetDeviceCount(&other_count);
    other_thread = -1;
  });
  int count = 0;
  const int status = cudaGetDeviceCount(&count);
  other.join();
  std::printf("nested %d:%d, other %d:%d, first %d:%d\n", nested_status, nested_count, other_status,
              other_count, status, count);
  return 0;
}
