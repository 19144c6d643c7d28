// What a PTX text or a CUBIN defines for other modules. Pure.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "anycuda/linker/input.h"

namespace anycuda::linker {

// Kernels, functions and variables of global binding: two definitions of one are an error. Of other
// types, whose code is compressed or LTO-IR, none.
std::set<std::string> definitions_of(std::string_view bytes, InputType type);

// Of a linked CUBIN a function that two inputs defined, or "": nvJitLink 12.9 and 13.5 report such
// on stderr only, link one of them, and leave the attributes of both.
std::string defined_twice(std::string_view cubin);

}  // namespace anycuda::linker
