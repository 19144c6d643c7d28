// SPDX-License-Identifier: Apache-2.0

// The CUDA release of a library's file, by names: of the file, of the folders above it, and of the
// packages beside it (docs/search.md). Reads folders, and at most one header; loads nothing.
#pragma once

#include "compat/base/arena.h"
#include "compat/descriptor/library.h"
#include "compat/search/version/release_range.h"

namespace anycuda {

struct NamedRelease {
  ReleaseRange range;
  const char* source = "";  // of its last narrowing: "wheel nvidia-curand-cu12 10.3.10.19"
  const char* file = "";    // the file or folder with that name
};

// `range`: the releases that the file's symbols leave; the result is within it. `path`: absolute.
// Texts live in the arena, or are static.
NamedRelease release_by_name(const LibraryDescriptor& library, const char* path, ReleaseRange range,
                             Arena* arena);

}  // namespace anycuda
