// SPDX-License-Identifier: Apache-2.0

// The device code in an input, and which parts of it a linker would silently leave out. Pure.
// Measured on nvJitLink 12.3 to 13.5: docs/linker.md, "Links that would lose code".
#pragma once

#include <string>
#include <string_view>

#include "anycuda/compat/version.h"
#include "anycuda/linker/input.h"

namespace anycuda::linker {

// The target of the link.
struct Target {
  unsigned architecture = 0;  // 90 for sm_90a; 0: not known yet
  bool lto = false;           // with link-time optimisation (Options::lto)
};

// The findings of contents_of() in an input.
struct Contents {
  std::string problem;  // why a linker would leave out a part of the input, and what to do; or ""
  std::string warning;  // no device code, or code in a library that every linker leaves out; or ""
  bool lto_ir = false;  // there is LTO-IR for the target
  // Each is the place of the first such code: "it" (the input itself) or "its member 'a.o'"; else
  // "".
  std::string lto_ir_only;     // code whose only form for the target is LTO-IR
  std::string without_lto_ir;  // code without LTO-IR for the target
  // The device code is in other files, or in a form that this library does not read.
  bool opaque = false;
  Version made_by;  // the newest CUDA that made a part of the input; unknown for compressed CUBINs
  std::string newest;  // that part: "PTX 9.5", "a CUBIN", "LTO-IR"
};

// " (in its member 'a.o')" for a member; "" for "it".
std::string in_place(const std::string& place);

// `bytes`: the whole input, of type `type`.
Contents contents_of(std::string_view bytes, InputType type, const Target& target);

}  // namespace anycuda::linker
