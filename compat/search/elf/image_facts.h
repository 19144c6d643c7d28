// SPDX-License-Identifier: Apache-2.0

// The identity of an ELF file, read without loading it.
#pragma once

#include <cstdint>

#include "anycuda/compat/version.h"

namespace anycuda {

enum class FileState : std::uint8_t {
  usable,
  missing,
  unreadable,
  not_a_file,
  not_absolute,  // named by the user, but not by its full path
  has_tokens,    // its path has a $ORIGIN, $LIB or $PLATFORM, which dlopen() replaces
  not_trusted,   // found only by its place above the caller, and another user can change it
  not_elf,
  other_architecture,
  truncated,
  other_library,  // another SONAME than this library's
  anycuda_stub,
  required_symbol_missing,
  out_of_memory,
  open_failed,
  other_file_opened,  // dlopen() gave another file than the one that was examined
  other_version,      // it reports another CUDA than its SONAME and symbols do
  link_stub           // NVIDIA's libcuda.so.1 for linking: every function returns 34
};

struct ImageFacts {
  FileState state = FileState::missing;
  int error = 0;                 // errno, where the state comes from a system call
  const char* detail = nullptr;  // a symbol, a SONAME, a path, dlerror's text
  Version version;               // at least this one, from its SONAME and the names it exports
  int newest_major = 0;          // and at most of this major: another one, if its SONAME is of both
  int needs_runtime = 0;         // the major of the CUDA runtime that it needs (DT_NEEDED), 0: none
  bool is_earlier = false;       // LibraryDescriptor::earlier_soname

  bool major_is_known() const { return newest_major <= version.major; }
};

}  // namespace anycuda
