// Which CUDA made PTX or LTO-IR of a version. Pure.
#pragma once

#include "anycuda/compat/version.h"

namespace anycuda::linker {

// Of a PTX version the first CUDA that knows it (compat/catalogue/cuda_releases.txt).
Version cuda_of_ptx(Version ptx);

// Of the version of an LTO-IR container the first CUDA that writes it, read off NVRTC 12.3 to 13.5;
// of a later one 13.3. Not known before 12.3.
Version cuda_of_lto_ir(Version container);

}  // namespace anycuda::linker
