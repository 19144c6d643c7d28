// SPDX-License-Identifier: Apache-2.0

// The identity of an ELF file, read without loading it.
#pragma once

#include "anycuda/compat/version.h"
#include "compat/outcomes.h"  // FileState

namespace anycuda {

struct ImageFacts {
  FileState state = FileState::missing;
  int error = 0;                 // errno, where the state comes from a system call
  const char* detail = nullptr;  // a symbol, a SONAME, a path, dlerror's text
  Version version;               // at least this one, from its SONAME and the names it exports
  int newest_major = 0;          // and at most of this major: another one, if its SONAME is of both
  int needs_runtime = 0;         // the major of the CUDA runtime that it needs (DT_NEEDED), 0: none
  bool is_earlier = false;       // LibraryDescriptor::earlier_soname
  bool needs_companions = false;  // libraries of CUDA
  bool needs_only_libc = false;   // of libraries (binding.h)

  bool major_is_known() const { return newest_major <= version.major; }
};

}  // namespace anycuda
