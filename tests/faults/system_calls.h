// SPDX-License-Identifier: Apache-2.0

// The possible failures of each system call.
#pragma once

#include <string>
#include <vector>

namespace anycuda::test {

struct Answer {
  const char* name;  // "EMFILE", "nothing" for 0 bytes
  long value;        // -errno, or what the call returns
  bool transient;    // another call may not get it: it says nothing of what is installed
  bool runs;         // the kernel does as it is asked, and the answer is replaced
};

// The answers of the call with that number; an unknown number has only those of a seccomp filter.
const std::vector<Answer>& answers_of(long number);

// "openat", "call 39".
std::string name_of(long number);

}  // namespace anycuda::test
