// SPDX-License-Identifier: Apache-2.0

// Which release made the LTO-IR that an input of the linker holds.
#pragma once

#include <cstddef>

namespace anycuda {

// Does this input hold LTO-IR that a CUDA before 13 made? The version of its container shows it.
// In a fatbin the entry repeats that version outside of the compressed part; a fatbin may be in an
// object, and that in a library. The numbers are from the output of NVRTC 11.7 to 13.5 and of nvcc
// 11.8, 12.4 and 13.0. Input that cannot be read counts as without LTO-IR.
bool has_lto_ir_before_13(const void* data, std::size_t size);

}  // namespace anycuda
