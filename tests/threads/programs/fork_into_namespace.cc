// SPDX-License-Identifier: Apache-2.0

// As fork_during_replay, with a parent and a child that both are the first process of a PID
// namespace: their processes have the same number, and so have their threads.
#include <sched.h>
#include <sys/syscall.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "forking.h"
#include "hooks.h"

using namespace anycuda::test;

namespace {
Stage stage;
enum { kReplaying = 1, kForked };
bool is_child = false;
}  // namespace

extern "C" void in_fat_binary() {
  if (is_child) return;
  stage.reach(kReplaying);
  stage.wait_for(kForked);
}

namespace {

void fork_during_replay() {
  static int fat_binary;
  register_kernel(&fat_binary, "kernel");
  std::thread first([] { call_and_tell("parent"); });
  stage.wait_for(kReplaying);
  std::fflush(stdout);
  const auto child = static_cast<pid_t>(syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0));
  if (child == 0) {
    is_child = true;
    call_and_tell("child");
    _exit(0);
  }
  wait_for_child(child);
  stage.reach(kForked);
  first.join();
}

}  // namespace

int main() {
  // In a chroot, only root can.
  if (unshare(CLONE_NEWPID) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) {
    std::printf("skip: only root can begin a PID namespace here: %s\n", std::strerror(errno));
    return 0;
  }
  const pid_t process = fork();
  if (process == 0) {
    fork_during_replay();
    std::fflush(stdout);
    _exit(0);
  }
  wait_for_child(process);
  return 0;
}
