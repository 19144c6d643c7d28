// SPDX-License-Identifier: Apache-2.0

// The CUDA release that made PTX or LTO-IR, by the version of the format. Pure.
#pragma once

#include "anycuda/compat/version.h"

namespace anycuda::linker {

// The first CUDA that knows this PTX version (compat/catalogue/cuda_releases.txt).
Version cuda_of_ptx(Version ptx);

// The first CUDA whose NVRTC writes LTO-IR containers of this version (read from the output of
// NVRTC 12.3 to 13.5). For a later version 13.3, for one older than 12.3's an unknown version.
Version cuda_of_lto_ir(Version container);

}  // namespace anycuda::linker
