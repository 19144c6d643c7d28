// SPDX-License-Identifier: Apache-2.0

// Runs a program and replaces the kernel's results of system calls between its marks (marks.h).
// x86-64 Linux.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "support/process.h"
#include "system_calls.h"

namespace anycuda::test {

// What the system call with that number is answered, the `occurrence`th between the marks, counted
// from 0; nothing: what the kernel says.
using Injection = std::function<std::optional<Answer>(int occurrence, long number)>;

struct TracedRun {
  ProcessResult result;
  std::vector<long> calls;  // numbers of the system calls between the marks, in order
};

// The outputs may have up to 64 KB. Throws std::runtime_error where programs cannot be traced.
TracedRun run_traced(const ProcessSpec& spec, const Injection& injection);

}  // namespace anycuda::test
