// What a stub would open at a call from here, found by the stubs' own search without a word on
// stderr. What is found is open afterwards, and the stub adopts what the process has loaded: so
// both use the same file.
#pragma once

#include <string>

#include "anycuda/compat/version.h"
#include "compat/descriptor/library.h"
#include "compat/search/policy.h"

namespace anycuda::linker {

struct LibraryProbe {
  void* handle = nullptr;  // of dlopen, for ever; nullptr: nothing may serve
  std::string path;
  Version version;  // by its file
  // Where nothing may serve: the newest that the driver's CUDA alone is against, if there is one.
  std::string refused_path;
  Version refused;
  std::string report;  // what was looked at and what is against it, then what would help
};

// `library`: "nvjitlink", "nvrtc". Throws BackendError for a variable whose value nobody
// understands, std::bad_alloc.
LibraryProbe probe_library(const char* library);

// Throws BackendError as above: a stub would find nothing then.
void check_settings(const LibraryDescriptor& library, const Policy& policy);

// What the variables of the driver rules say: with ANYCUDA_STUB_COMPAT=off, or a cuda-compat
// package declared, the driver's version speaks against nothing.
bool driver_rules_hold();

// Is this name in the library? Leaves dlerror() as it was for the program.
bool has_symbol(void* handle, const char* name);

}  // namespace anycuda::linker
