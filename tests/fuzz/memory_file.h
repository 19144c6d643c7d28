// SPDX-License-Identifier: Apache-2.0

// A regular file that is no file on disk: what reads by path or descriptor can be fed with it a
// few thousand times a second.
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
  // Good in this process alone; each open() starts at the file's beginning.
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace anycuda::fuzz
