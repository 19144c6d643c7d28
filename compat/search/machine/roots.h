// SPDX-License-Identifier: Apache-2.0

// The places where CUDA may be installed: the roots of each search tier. The stubs' search and the
// C++ finder both use this enumeration; each has its own list of folders below a root.
#pragma once

#include "compat/search/machine/absent_names.h"
#include "compat/search/machine/machine.h"
#include "compat/search/machine/search_tier.h"

namespace anycuda {

enum class RootKind : std::uint8_t {
  folder,         // holds libraries itself: an entry of LD_LIBRARY_PATH
  site_packages,  // Python's wheels are below it
  conda,          // a conda environment's prefix
  toolkit,        // a CUDA Toolkit's folder
  system,         // "/", or the folder that stands for it
  cached_file     // no folder but a library, as /etc/ld.so.cache names it
};

struct Root {
  RootKind kind;
  // Absolute, but for what a toolkit variable gives. Valid during the visit.
  const char* path;
  // It begins an environment: a set of roots whose newest library is taken, and which is preferred
  // to the following environments.
  bool begins = true;
  // A guess by its place: a library below counts only if just root, the process's user and the
  // owner of this file can change it (trust.h).
  bool guessed = false;
  const char* file = nullptr;
  const char* variable = nullptr;  // that names it
};

struct RootQuery {
  const Interpreter* program = nullptr;  // that the process runs; a query from_driver needs none
  const void* caller = nullptr;          // in the object that asks
  const char* file_prefix = nullptr;  // of a dynamic library's names; nullptr: another kind of file
  bool from_driver = false;  // installed by the display driver: never in Python or toolkits
  AbsentNames absent = {};
};

// False ends the visits.
using RootVisitor = bool (*)(const Root& root, void* argument);

// Visits the roots of one search tier, best first: of a system's toolkits /usr/local/cuda, then the
// newest version. A dynamic library is looked for in the system as the dynamic linker would: in its
// cache, its folders, then in toolkits; other files in toolkits first. A root may come more than
// once, and need not exist. The search tiers `variable` and `loaded` have none.
void each_root(const Machine& machine, const RootQuery& query, SearchTier tier, Arena* arena,
               RootVisitor visit, void* argument);

// "CUDA_PATH=/a and CUDA_HOME=/b name different toolkits: CUDA_PATH goes first (...)", of the first
// two toolkit variables that do, or nullptr.
const char* differing_toolkit_variables(const Machine& machine, Arena* arena);

}  // namespace anycuda
