// SPDX-License-Identifier: Apache-2.0

// The names that PTX or a CUBIN defines for other modules. Pure.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "anycuda/linker/input.h"

namespace anycuda::linker {

struct Definition {
  SymbolKind kind;
  bool weak;  // several modules may define it, as an instance of a template
};

// Kernels, functions and variables with global or weak binding. Empty for types other than PTX and
// CUBIN, whose code is compressed or LTO-IR.
std::map<std::string, Definition> all_definitions_of(std::string_view bytes, InputType type);

// Their names, without weak ones: it is an error if two inputs define the
// same name.
std::set<std::string> definitions_of(std::string_view bytes, InputType type);

// The name of a function in a linked CUBIN that two inputs defined, or "". nvJitLink 12.9 and 13.5
// report such a function only on stderr, link one of the definitions, and leave the attributes of
// both in the CUBIN.
std::string defined_twice(std::string_view cubin);

}  // namespace anycuda::linker
