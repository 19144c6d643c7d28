// SPDX-License-Identifier: Apache-2.0

// The libraries that have stubs, for code outside of the stubs that searches for them. Generated
// from the same files as the stubs (stubs/tools/generate/libraries.py).
#pragma once

#include <cstring>

#include "compat/descriptor/symbols.h"

namespace anycuda {

struct Library {
  const LibraryDescriptor* descriptor;
  const LibrarySymbols* symbols;
  const char* stub;  // "libcudart_stub.so"
};

extern const Library kLibraries[];
extern const int kLibraryCount;

// The library called `name` ("cudart"); nullptr for any other name.
inline const Library* library_named(const char* name) {
  for (int i = 0; i < kLibraryCount; ++i) {
    if (std::strcmp(kLibraries[i].descriptor->name, name) == 0) return &kLibraries[i];
  }
  return nullptr;
}

}  // namespace anycuda
