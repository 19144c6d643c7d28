// The beginning of a file that a user names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace anycuda::linker {

struct FileHead {
  std::string bytes;
  std::uint64_t size = 0;  // of the whole file
  std::string problem;     // "cannot be read (...)", "is no regular file", or ""
};

// Never waits: a pipe is no regular file.
FileHead read_head(const char* path, std::size_t most);

}  // namespace anycuda::linker
