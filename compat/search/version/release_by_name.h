// SPDX-License-Identifier: Apache-2.0

// The CUDA release of a library's file, by names: of the file, of the folders above it, and of the
// packages beside it (docs/search.md). Reads folders, and at most one header; loads nothing.
#pragma once

#include "compat/base/arena.h"
#include "compat/descriptor/library.h"
#include "compat/search/elf/image_facts.h"
#include "compat/search/version/toolkit_version.h"

namespace anycuda {

// The release, if a name tells it; else it is unknown. Names also narrow the image's version and
// newest major, which are those that the file's symbols leave. `path`: absolute. Texts live in the
// arena, or are static.
ToolkitVersion read_release(const LibraryDescriptor& library, const char* path, Arena* arena,
                            ImageFacts* image);

}  // namespace anycuda
