// SPDX-License-Identifier: Apache-2.0

// The library that serves this copy of the stub.
#pragma once

#include <cstdint>

#include "loader/tables.h"

namespace anycuda {

struct Opened {
  void* handle;
  Version version;
  int major_index;  // in the descriptor's majors; -1: every call goes on as it is, since the
                    // database does not know its major, or it is what its callers were built for
  const char* path;
};

// The process's choice, in the form that copies of the stub exchange (docs/copies.md). The asking
// copy sets `size`; no more than that is written.
struct Choice {
  std::uint32_t size;
  std::int32_t major;
  std::int32_t minor;  // -1: unknown
  std::int32_t reserved;
  void* handle;      // of dlopen, never closed
  const char* path;  // never freed
};

// The opened library, nullptr if none has been opened. Never opens anything.
const Opened* opened_library();

// Takes the library for this copy, unless it has one: *is_new. Returns the one that it has then;
// nullptr: no memory.
const Opened* adopt_library(const Choice& choice, bool* is_new);

}  // namespace anycuda
