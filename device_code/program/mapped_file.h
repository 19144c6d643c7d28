// SPDX-License-Identifier: Apache-2.0

// A regular file in memory, without a copy.
#pragma once

#include "device_code/bytes.h"

namespace anycuda::device_code {

class MappedFile {
 public:
  explicit MappedFile(const char* path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // Why the file could not be mapped; nullptr where it was.
  const char* problem() const { return problem_; }
  Bytes bytes() const { return bytes_; }

 private:
  Bytes bytes_;
  const char* problem_ = nullptr;
};

}  // namespace anycuda::device_code
