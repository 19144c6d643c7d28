// SPDX-License-Identifier: Apache-2.0

// The library that a stub would open at a call from here, found by the stubs' search without any
// output on stderr. The library found stays open, and the stub adopts a library that the process
// has loaded: so both use the same file.
#pragma once

#include <string>

#include "anycuda/compat/version.h"
#include "compat/descriptor/library.h"
#include "compat/search/policy.h"

namespace anycuda::linker {

struct LibraryProbe {
  void* handle = nullptr;  // of dlopen, never closed; nullptr: no library is usable
  std::string path;
  Version version;  // by its file
  // If no library is usable: the newest one that was refused only because of the driver's CUDA.
  std::string refused_path;
  Version refused;
  std::string report;  // every examined file with its reason, then what to do
};

// `library`: "nvjitlink", "nvrtc". Throws BackendError if a variable has an invalid value, and
// std::bad_alloc.
LibraryProbe probe_library(const char* library);

// Throws BackendError as above: a stub would find nothing then.
void check_settings(const LibraryDescriptor& library, const Policy& policy);

// Whether the variables leave the driver rules in force: with ANYCUDA_STUB_COMPAT=off, or a
// declared cuda-compat package, the driver's version refuses no library.
bool driver_rules_hold();

// Is this name in the library? Leaves dlerror() as it was for the program.
bool has_symbol(void* handle, const char* name);

}  // namespace anycuda::linker
