// The cuda.h of the CUDA Toolkit, or of the environment laid out like one, that a file lies in.
#pragma once

#include "compat/base/arena.h"
#include "compat/base/text_file.h"
#include "compat/search/toolkit/cuda_header.h"

namespace anycuda {

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
};

// Of the nearest root that has one: a root is where the file's folder ("ROOT/lib64",
// "ROOT/targets/x86_64-linux/lib/stubs", "ROOT/nvvm/libdevice", "ROOT/include/crt") says that it
// is; its cuda.h is in include and targets/*/include. `folder`: absolute, without "..", of the
// file. Texts live in the arena.
RootHeaders headers_of_root(const char* folder, Arena* arena);

}  // namespace anycuda
