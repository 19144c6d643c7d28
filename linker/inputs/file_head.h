// SPDX-License-Identifier: Apache-2.0

// The beginning of a file given by the user.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace anycuda::linker {

struct FileHead {
  std::string bytes;
  std::uint64_t size = 0;  // of the whole file
  std::string problem;     // "cannot be read (...)", "is not a regular file", or ""
};

// Reads at most `most` bytes. Refuses everything but a regular file, such as a pipe, so it never
// waits for input.
FileHead read_head(const char* path, std::size_t most);

}  // namespace anycuda::linker
