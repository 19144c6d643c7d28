// SPDX-License-Identifier: Apache-2.0

// The CUDA release of a library's file, by names: of the file, of the folders above it, and of the
// packages beside it (docs/search.md). Reads folders, and at most one header; loads nothing.
#pragma once

#include "compat/base/arena.h"
#include "compat/descriptor/library.h"
#include "compat/search/elf/image_facts.h"

namespace anycuda {

// The CUDA Toolkit that a file belongs to, and what tells it. Texts live in an arena, or are
// static.
struct ToolkitVersion {
  Version version;           // unknown: `problem` says why
  const char* source = "";   // "cuda.h", "wheel nvidia-cuda-nvrtc-cu12 12.9.86"
  const char* file = "";     // the file or folder that tells it
  const char* problem = "";  // the examined files, or the conflict
  const char* package = "";  // the only one that owns the file: "wheel nvidia-nccl-cu12 2.26.2"
};

// The release, if a name tells it; else it is unknown. Names also narrow the image's version and
// newest major, which are those that the file's symbols leave. `path`: absolute. Texts live in the
// arena, or are static.
ToolkitVersion read_release(const LibraryDescriptor& library, const char* path, Arena* arena,
                            ImageFacts* image);

}  // namespace anycuda
