// SPDX-License-Identifier: Apache-2.0

// A thread's first call comes while another one's is in the middle of opening a runtime that will
// turn out not to open: it lacks a library. That library is a pipe here, so the middle lasts until
// this program closes the pipe.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>

#include "hooks.h"
#include "runtime.h"
#include "thread_state.h"

namespace {

anycuda::test::Stage stage;
enum { kOpening = 1 };
std::atomic<long> second_thread{0};  // its number; -1 when it has its answer

}  // namespace

int main(int, char** arguments) {
  int status[2] = {-1, -1};
  int count[2] = {};
  // Before the loader is kept busy: a thread can't be started while it is.
  std::thread second([&] {
    second_thread = syscall(SYS_gettid);
    stage.wait_for(kOpening);
    status[1] = cudaGetDeviceCount(&count[1]);
    second_thread = -1;
  });
  while (second_thread == 0) std::this_thread::yield();
  std::thread first([&] { status[0] = cudaGetDeviceCount(&count[0]); });
  int pipe = -1;  // opens once the loader has it open
  while ((pipe = open(arguments[1], O_WRONLY | O_NONBLOCK | O_CLOEXEC)) < 0) {
    std::this_thread::yield();
  }
  stage.reach(kOpening);
  // Asleep, it waits for the loader's lock, or has ended: further it does not come.
  while (second_thread != -1 && anycuda::test::state_of(second_thread) != 'S')
    std::this_thread::yield();
  unlink(arguments[1]);  // the next call finds nothing there
  close(pipe);
  first.join();
  second.join();
  std::printf("first %d:%d, second %d:%d\n", status[0], count[0], status[1], count[1]);
  return 0;
}
