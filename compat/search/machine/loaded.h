// SPDX-License-Identifier: Apache-2.0

// The process's loaded objects: a library that is loaded already is preferred to opening one.
#pragma once

#include "compat/descriptor/library.h"
#include "compat/search/elf/image_facts.h"
#include "compat/search/machine/machine.h"
#include "compat/search/symbols/loaded_names.h"

namespace anycuda {

struct LoadedObject {
  // From the dynamic linker; "" for the program. nullptr: no object was found.
  const char* name = nullptr;
  LoadedNames names;
};
// Visits the loaded objects in the order of their list, until visit() returns true. It visits those
// of the start without the dynamic linker's lock, the later ones (if there are any) under it.
// Returns how many objects the process had ever loaded at that moment (load_count() in
// load_mark.h), or fewer: if it has only those of the start, it may have unloaded others.
std::uint64_t each_object(const Machine& machine, bool (*visit)(const LoadedObject&, void*),
                          void* argument);

// A loaded copy of a library, of its peer, or of one of its relatives; of several of them, if the
// library is its own relative. Under any file name (wheels bundle renamed copies: their version
// definition keeps its name). A stub of anycuda is not a copy.
struct LoadedCopy {
  const char* path;
  const ImageFacts* image;  // of the library itself; nullptr, as below: the object is another one
  const ImageFacts* peer;
  const Relative* relative;
  const ImageFacts* image_of_relative;
};
// Visits them all, in one walk. Returns what each_object() returns.
std::uint64_t each_loaded_copy(const Machine& machine, const LibraryDescriptor& library,
                               void (*visit)(const LoadedCopy& copy, void* argument),
                               void* argument);

// The loaded object that holds an address.
// The object must stay loaded while the result is read: it is the object of this code, or one whose
// call into this code has not returned. (dladdr() compares the address with each of the object's
// symbols, too.)
LoadedObject object_of(const void* address);

// The address of the symbol in the first loaded object that defines it, nullptr if none does. An
// IFUNC's address is its resolver's. (dlsym() of a missing one takes memory for its message, and
// drops a message that the program has not read yet.) *size, if wanted: the symbol's size.
const void* loaded_symbol(const char* name, std::size_t* size = nullptr);
inline bool is_defined(const char* symbol) { return loaded_symbol(symbol) != nullptr; }

// Calls visit(path, argument) for every loaded object that has a path.
void each_loaded_path(const Machine& machine, void (*visit)(const char* path, void* argument),
                      void* argument);

}  // namespace anycuda
