// Opening a dynamic library for the guard rails: kept only if it is what its file says. The stubs'
// own checks (compat/search/opened.h), for every row of the catalogue.
#pragma once

#include <functional>
#include <string>

#include "compat/library/decision.h"

namespace anycuda::compat {

struct OpenedLibrary {
  void* handle = nullptr;   // of dlopen; nullptr: the library is refused
  std::string cause;        // why the dynamic linker refused it, in its words
  std::string lie;          // or what it is in place of what its file says
  bool stays_open = false;  // it is refused, and could not be closed again
};

// Zeros where there is no such file.
FileIdentity identity_of(const std::string& path);

// Do the rules accept the library as of the version that it reports? Asked only where its metadata
// name another.
using AcceptsVersion = std::function<bool(Version reported)>;

// `name`: what the dynamic linker opens it by. `loaded`: the process has it already, so there is no
// file to compare it with. Else it must be the file that the instance names by device and inode, if
// it does. What is refused is closed again.
OpenedLibrary open_library(const ComponentInstance& instance, const std::string& name, bool loaded,
                           const AcceptsVersion& accepts);

}  // namespace anycuda::compat
