// Which release made the LTO-IR that an input of the linker holds.
#pragma once

#include <cstddef>

namespace anycuda {

// Does this input hold LTO-IR that a CUDA before 13 made? LTO-IR says so in the version of its
// container, alone and in fatbins, where the entry repeats it outside of what is compressed; a
// fatbin may lie in an object, and that in a library. Numbers read off the output of NVRTC 11.7
// to 13.5 and of nvcc 11.8, 12.4 and 13.0; what cannot be read holds none.
bool has_lto_ir_before_13(const void* data, std::size_t size);

}  // namespace anycuda
