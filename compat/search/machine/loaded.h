// What the process has loaded: adopting a library that is there already comes before opening one.
#pragma once

#include <cstdint>

#include "compat/descriptor/library.h"
#include "compat/search/machine/machine.h"

namespace anycuda {

// How many objects the process has ever loaded; grows with each dlopen that brings one.
std::uint64_t load_count();

// Visits every loaded copy of the library, under whatever file name (wheels bundle renamed copies:
// their version definition keeps its name), except anycuda stubs.
using CopyVisitor = void (*)(const char* path, int major, void* argument);
void each_loaded_copy(const Machine& machine, const LibraryDescriptor& library, CopyVisitor copy,
                      void* argument);

// Path of the loaded object that holds `address`; nullptr if there is none.
const char* object_path(const void* address);

// Calls visit(path, argument) for every loaded object that has a path.
void each_loaded_path(const Machine& machine, void (*visit)(const char* path, void* argument),
                      void* argument);

}  // namespace anycuda
