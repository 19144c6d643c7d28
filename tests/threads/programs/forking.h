// SPDX-License-Identifier: Apache-2.0

// A child process that calls CUDA and writes its own record.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "runtime.h"

namespace anycuda::test {

inline void call_and_tell(const char* who) {
  int count = 0;
  const int status = cudaGetDeviceCount(&count);
  std::printf("%s %d:%d\n", who, status, count);
  std::fflush(stdout);
}

// Forks; the child calls CUDA and ends.
inline pid_t fork_a_caller() {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child != 0) return child;
  if (const char* record = std::getenv("FAKE_CUDART_RECORD")) {
    setenv("FAKE_CUDART_RECORD", (std::string(record) + ".child").c_str(), 1);
  }
  call_and_tell("child");
  _exit(0);
}

inline void wait_for_child(pid_t child) {
  int status = -1;
  waitpid(child, &status, 0);
  if (status != 0) std::printf("child ended with %#x\n", status);
}

}  // namespace anycuda::test
