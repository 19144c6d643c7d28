// Is this file the piece? Looked at without loading it, and without waiting for a pipe.
#pragma once

#include <sys/types.h>

#include <string>

#include "anycuda/compat/catalogue.h"
#include "compat/base/arena.h"

namespace anycuda::compat {

struct FileAnswer {
  bool usable = false;
  bool runnable = false;  // programs: has its run bit, for this user
  std::string problem;    // "" where the file is usable, or where nothing is there
  dev_t device = 0;
  ino_t inode = 0;
};

// A dynamic library must be a whole one of this CPU that calls itself by one of the piece's names,
// and none of our stubs. Temporary memory is taken from `arena` and given back.
FileAnswer examine_file(const std::string& path, const Piece& piece, Arena* arena);

}  // namespace anycuda::compat
