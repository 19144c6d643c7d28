// The libraries that have stubs, with as much of their tables as a search asks for. Generated from
// the files that the stubs are generated from (stubs/generate/doctor.py).
#pragma once

#include "loader/library.h"

namespace anycuda::doctor {

struct Library {
  const LibraryDescriptor* descriptor;
  const Tables* tables;  // names and history of the symbols, nothing to call
  const char* stub;      // "libcudart_stub.so"
};

extern const Library kLibraries[];
extern const int kLibraryCount;

}  // namespace anycuda::doctor
