// SPDX-License-Identifier: Apache-2.0

// One thread has the newest runtime open, which reports another version than its name (fakes/
// liar.cc) and will be closed for it. Another thread's first call comes in that moment: it finds a
// runtime loaded that is about to go. The argument selects which one waits:
//   before  the first goes on once the second has its answer, or sleeps to wait for the first
//   beside  both have it open; the second goes on once the first has its answer, or sleeps
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "hooks.h"
#include "runtime.h"
#include "thread_state.h"

namespace {

anycuda::test::Stage stage;
enum { kFirstHasIt = 1, kSecondHasIt = 2 };
bool beside = false;
std::atomic<long> numbers[2] = {0, 0};  // of the threads; -1 when they have their answer
thread_local int self = -1;
thread_local bool waited = false;

void wait_until_asleep(int other) {
  const std::atomic<long>& number = numbers[other];
  while (number != -1 && anycuda::test::state_of(number) != 'S') std::this_thread::yield();
}

}  // namespace

void in_version() {
  if (self < 0 || waited) return;
  waited = true;
  if (self == 0) {
    stage.reach(kFirstHasIt);
    beside ? stage.wait_for(kSecondHasIt) : wait_until_asleep(1);
  } else if (beside) {
    stage.reach(kSecondHasIt);
    wait_until_asleep(0);
  }
}

int main(int, char** arguments) {
  beside = std::strcmp(arguments[1], "beside") == 0;
  int status[2] = {-1, -1};
  int count[2] = {};
  const auto call = [&](int i) {
    self = i;
    numbers[i] = syscall(SYS_gettid);
    if (i == 1) stage.wait_for(kFirstHasIt);
    status[i] = cudaGetDeviceCount(&count[i]);
    numbers[i] = -1;
  };
  std::thread second(call, 1);
  while (numbers[1] == 0) std::this_thread::yield();
  std::thread first(call, 0);
  first.join();
  second.join();
  std::printf("first %d:%d, second %d:%d\n", status[0], count[0], status[1], count[1]);
  return 0;
}
