// SPDX-License-Identifier: Apache-2.0

// The CUDA Toolkit of a library's file, only from authoritative sources (metadata.h of the compat
// library lists them): read without loading the file, with only libc.
#pragma once

#include "anycuda/compat/version.h"
#include "compat/base/arena.h"

namespace anycuda {

class Sites;

// Texts live in the arena, or are static.
struct ToolkitVersion {
  Version version;           // unknown: `problem` says why
  int major = 0;             // then perhaps its major is known, by its wheel
  const char* source = "";   // "cuda.h", "wheel nvidia-cuda-nvrtc-cu12 12.9.86"
  const char* file = "";     // the file that was read
  const char* problem = "";  // the examined files, or the conflict
};

// `path`: absolute, of a file or of a folder of headers. Folders that `sites` has looked at are not
// looked at again. `arena` is the one that `sites` was made with.
ToolkitVersion toolkit_version_of(const char* path, Arena* arena, Sites* sites);

}  // namespace anycuda
