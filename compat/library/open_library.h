// SPDX-License-Identifier: Apache-2.0

// Opens a dynamic library for the guard rails, and keeps it only if it matches its file: the stubs'
// checks (compat/search/check_opened.h), for every row of the catalogue.
#pragma once

#include <functional>
#include <string>

#include "compat/library/decision.h"

namespace anycuda::compat {

struct OpenedLibrary {
  void* handle = nullptr;   // of dlopen; nullptr: the library is refused
  std::string cause;        // why the dynamic linker refused it, in the linker's words
  std::string mismatch;     // or how it differs from its file's description
  bool stays_open = false;  // it is refused, and could not be closed again
};

// Zeros if the file is missing.
FileIdentity identity_of(const std::string& path);

// Do the rules accept the library as of the version that it reports? Asked only where its metadata
// name another.
using AcceptsVersion = std::function<bool(Version reported)>;

// `name`: by which the dynamic linker opens it. `loaded`: the process has it already, so there is
// no file to compare it with. Else it must be the file that the instance names by device and inode,
// if it names one. A refused library is closed again.
OpenedLibrary open_library(const ComponentInstance& instance, const std::string& name, bool loaded,
                           const AcceptsVersion& accepts);

}  // namespace anycuda::compat
