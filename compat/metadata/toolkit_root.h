// SPDX-License-Identifier: Apache-2.0

// The cuda.h and version.json of the CUDA Toolkit, or of the environment with the same layout, that
// contains a file.
#pragma once

#include "compat/base/arena.h"
#include "compat/base/text_file.h"
#include "compat/metadata/records/cuda_header.h"

namespace anycuda {

// The possible roots of a folder, the nearest first, by the folder's path ("ROOT/lib64",
// "ROOT/targets/x86_64-linux/lib/stubs", "ROOT/nvvm/libdevice", "ROOT/include/crt").
class Roots {
 public:
  // `folder`: absolute, without "..".
  Roots(const char* folder, Arena* arena) : folder_(folder), rest_(folder), arena_(*arena) {}
  // "" stands for "/"; nullptr after the last.
  const char* next();

 private:
  const char* folder_;
  std::string_view rest_;
  Arena& arena_;
  int level_ = 0;
};

// A cuda.h, or a version.json.
struct RootHeader {
  const char* path;
  HeaderVersion stated;
  const char* problem;  // "": it states a version
};

struct RootHeaders {
  static constexpr int kMost = 6;
  RootHeader found[kMost];
  int count;
  const char* searched;  // the roots that were looked in, ", " between them; "" where the file lies
                         // in no folder that toolkits have
  bool version_files;    // version.json was looked for as well
};

// Of the nearest root that has one; it is in include and targets/*/include. `folder`: of the file.
// Texts live in the arena.
RootHeaders headers_of_root(const char* folder, Arena* arena);
// Adds the version.json of the nearest root that has one.
void add_version_file(const char* folder, Arena* arena, RootHeaders* headers);

}  // namespace anycuda
