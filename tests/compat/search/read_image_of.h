// SPDX-License-Identifier: Apache-2.0

// read_image() of bytes that a test has made.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "compat/search/elf/image_file.h"
#include "loader/tables.h"

namespace anycuda::unit {

// An open file that has no name.
class TempFile {
 public:
  explicit TempFile(const std::string& bytes)
      : descriptor_(memfd_create("image", MFD_CLOEXEC)), size_(bytes.size()) {
    EXPECT_GE(descriptor_, 0);
    EXPECT_EQ(write(descriptor_, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  ~TempFile() { close(descriptor_); }
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;

  int descriptor() const { return descriptor_; }
  std::size_t size() const { return size_; }

 private:
  int descriptor_;
  std::size_t size_;
};

// Facts of an image of the tables' library. What `detail` points to lives until the next call.
inline ImageFacts facts_of(const std::string& bytes) {
  static Arena* arena = new Arena;  // one for all: an arena is 64 MiB of address space
  arena->rewind(0);
  const TempFile file(bytes);
  return read_image(file.descriptor(), file.size(), kLibrary, &kTables, *arena);
}

}  // namespace anycuda::unit
