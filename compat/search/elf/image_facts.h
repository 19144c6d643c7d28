// What an ELF file says about itself, read without loading it.
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
  not_elf,
  other_architecture,
  truncated,
  other_library,  // another SONAME than this library's
  anycuda_stub,
  required_symbol_missing,
  out_of_memory,
  open_failed
};

struct ImageFacts {
  FileState state = FileState::missing;
  int error = 0;                 // errno, where the state comes from a system call
  const char* detail = nullptr;  // a symbol, a SONAME, dlerror's text
  Version version;               // minor: at least this one, from the names it exports
};

}  // namespace anycuda
