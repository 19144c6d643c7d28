// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

// Defined where the program is built with --coverage (the preset coverage).
extern "C" __attribute__((weak)) void __gcov_dump();

namespace anycuda::test {

// Ends a forked child: without destructors, but with the counts of its lines.
[[noreturn]] inline void leave(int status) {
  if (__gcov_dump != nullptr) __gcov_dump();
  _exit(status);
}

}  // namespace anycuda::test
