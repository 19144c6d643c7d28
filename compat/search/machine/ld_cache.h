// SPDX-License-Identifier: Apache-2.0

// The system's own list of libraries, /etc/ld.so.cache.
#pragma once

#include "compat/base/arena.h"

namespace anycuda {

// Calls visit(path) for each 64-bit library of this CPU in `root`/etc/ld.so.cache whose name
// starts with `prefix`. A missing, foreign or broken cache has none.
void each_cached_library(const char* root, const char* prefix, Arena* arena,
                         void (*visit)(const char* path, void* argument), void* argument);

}  // namespace anycuda
