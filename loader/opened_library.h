// SPDX-License-Identifier: Apache-2.0

// The library that serves this copy of the stub.
#pragma once

#include "loader/tables.h"

namespace anycuda {

struct Opened {
  void* handle;
  Version version;
  int major_index;  // in the descriptor's majors; -1: every call goes on as it is, since the
                    // database does not know its major, or it is what its callers were built for
  const char* path;
};

// The opened library, nullptr if none has been opened. Never opens anything.
const Opened* opened_library();

// Takes the library for this copy, unless it has one: *is_new. `path` stays where it is. Returns
// the one that it has then; nullptr: no memory.
const Opened* adopt_library(void* handle, Version version, const char* path, bool* is_new);

}  // namespace anycuda
