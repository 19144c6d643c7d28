// SPDX-License-Identifier: Apache-2.0

// The process's loaded objects: a library that is loaded already is preferred to opening one.
#pragma once

#include "compat/descriptor/library.h"
#include "compat/search/elf/image_facts.h"
#include "compat/search/machine/loaded_names.h"
#include "compat/search/machine/machine.h"

namespace anycuda {

// Visits every loaded copy of the library, under any file name (wheels bundle renamed copies: their
// version definition keeps its name), except anycuda stubs.
using CopyVisitor = void (*)(const char* path, const ImageFacts& image, void* argument);
void each_loaded_copy(const Machine& machine, const LibraryDescriptor& library, CopyVisitor copy,
                      void* argument);

// The same for the library's relatives, in one walk.
using RelativeVisitor = void (*)(const char* path, const ImageFacts& image,
                                 const Relative& relative, void* argument);
void each_loaded_relative(const Machine& machine, const LibraryDescriptor& library,
                          RelativeVisitor visit, void* argument);

// The loaded object that holds an address.
struct LoadedObject {
  const char* name =
      nullptr;  // as the dynamic linker has it, "" of the program; nullptr: none does
  LoadedNames names;
};
// (dladdr() compares the address with each of the object's symbols, too.)
LoadedObject object_of(const void* address);

// The address of the symbol in the first loaded object that defines it, nullptr if none does. An
// IFUNC's address is its resolver's. (dlsym() of a missing one takes memory for its message, and
// drops a message that the program has not read yet.)
const void* loaded_symbol(const char* name);
inline bool is_defined(const char* symbol) { return loaded_symbol(symbol) != nullptr; }

// Calls visit(path, argument) for every loaded object that has a path.
void each_loaded_path(const Machine& machine, void (*visit)(const char* path, void* argument),
                      void* argument);

}  // namespace anycuda
