// SPDX-License-Identifier: Apache-2.0

// Small text files from unknown sources, read whole: never a pipe or a device, never more than was
// asked for.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace anycuda {

enum class TextState : std::uint8_t { read, missing, unreadable, not_a_file, too_large, no_memory };

// Opens a regular file: never a pipe or a device. `file` is then its descriptor, else -1; `error`:
// errno of one that is not opened.
TextState open_regular(const char* path, int* file, struct stat* status, int* error);

// Memory for one text at a time, kept from one to the next.
class TextFile {
 public:
  TextFile() = default;
  ~TextFile();
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;

  // A file of more than `most` bytes is too large, or, if its `head` is enough, cut off there.
  TextState read(const char* path, std::size_t most, bool head = false);
  // Of the last read(), until the next; empty if that failed.
  std::string_view text() const { return {pages_, length_}; }
  int error() const { return error_; }  // errno of an `unreadable` one

 private:
  TextState fill(int file, std::size_t size, std::size_t most, bool head);
  bool reserve(std::size_t size);

  char* pages_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t length_ = 0;
  int error_ = 0;
};

}  // namespace anycuda
