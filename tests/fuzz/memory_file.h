// SPDX-License-Identifier: Apache-2.0

// A regular file in memory, not on disk: code that reads by path or descriptor can be given a few
// thousand a second.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/fuzz/check.h"

namespace anycuda::fuzz {

class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("input", MFD_CLOEXEC)) {
    must(descriptor_ >= 0, "a file in memory can be made");
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  void fill(const std::uint8_t* data, std::size_t size) {
    must(ftruncate(descriptor_, 0) == 0 &&
             pwrite(descriptor_, data, size, 0) == static_cast<ssize_t>(size),
         "a file in memory can be written");
  }
  int descriptor() const { return descriptor_; }
  // Valid only in this process; each open() starts at the file's beginning.
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace anycuda::fuzz
