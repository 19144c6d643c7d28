// SPDX-License-Identifier: Apache-2.0

// What a fuzz target asserts.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace anycuda::fuzz {

// A property of every input. Where one does not hold the program ends, and the fuzzer or the replay
// program keeps the input.
inline void must(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", property);
  std::abort();
}

}  // namespace anycuda::fuzz
