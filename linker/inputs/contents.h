// The device code that an input holds, and what of it a linker would leave out without a word.
// Pure. Measured on nvJitLink 12.3 to 13.5: docs/linker.md, "What would be lost".
#pragma once

#include <string>
#include <string_view>

#include "anycuda/compat/version.h"
#include "anycuda/linker/input.h"

namespace anycuda::linker {

// What the link is for.
struct Target {
  unsigned architecture = 0;  // 90 of sm_90a; 0: not known yet
  bool lto = false;           // link-time optimisation is asked for
};

// Places are "it" or "its member 'a.o'"; "" where there is none of the kind.
struct Contents {
  std::string problem;  // why a part of it would be lost, with the cure
  std::string warning;  // it holds no device code, or, in a library, also some that no linker takes
  bool lto_ir = false;  // it holds LTO-IR for the target
  std::string lto_ir_only;     // where code has no other form for the target than LTO-IR
  std::string without_lto_ir;  // where code has no LTO-IR for the target
  bool opaque = false;         // what it holds is in other files, or in no form that is read here
  Version made_by;     // the newest CUDA that made a part of it; unknown of compressed CUBINs
  std::string newest;  // that part: "PTX 9.5", "a CUBIN", "LTO-IR"
};

// " (in its member 'a.o')"; "" of "it".
std::string in_place(const std::string& place);

// `bytes`: the whole input, of that type.
Contents contents_of(std::string_view bytes, InputType type, const Target& target);

}  // namespace anycuda::linker
