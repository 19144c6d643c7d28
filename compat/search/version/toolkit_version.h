// SPDX-License-Identifier: Apache-2.0

// The CUDA Toolkit that a file belongs to, and what tells it.
#pragma once

#include "anycuda/compat/version.h"

namespace anycuda {

// Texts live in an arena, or are static.
struct ToolkitVersion {
  Version version;           // unknown: `problem` says why
  const char* source = "";   // "cuda.h", "wheel nvidia-cuda-nvrtc-cu12 12.9.86"
  const char* file = "";     // the file or folder that tells it
  const char* problem = "";  // the examined files, or the conflict
};

}  // namespace anycuda
