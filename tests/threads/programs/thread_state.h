// SPDX-License-Identifier: Apache-2.0

// The state of another thread of the process, from the kernel.
#pragma once

#include <cstdio>
#include <string>

namespace anycuda::test {

// 'S': it sleeps; 'R': it runs; '?': the thread does not exist.
inline char state_of(long thread) {
  const std::string file = "/proc/self/task/" + std::to_string(thread) + "/stat";
  char state = '?';
  std::FILE* stream = std::fopen(file.c_str(), "r");
  if (stream == nullptr) return state;
  if (std::fscanf(stream, "%*d (%*[^)]) %c", &state) != 1) state = '?';
  std::fclose(stream);
  return state;
}

}  // namespace anycuda::test
