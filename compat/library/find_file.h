// SPDX-License-Identifier: Apache-2.0

// The identity of one file: may it be the component? Read without loading it, and without waiting
// for a pipe.
#pragma once

#include <sys/types.h>

#include <string>

#include "anycuda/compat/catalogue.h"
#include "compat/base/arena.h"
#include "compat/search/elf/image_facts.h"

namespace anycuda::compat {

struct FileAnswer {
  FileState state = FileState::missing;
  int error = 0;         // errno, where it could not be examined
  bool is_link = false;  // of a missing one: a link of that name is there
  mode_t mode = 0;
  off_t size = 0;
  std::string soname;     // of another library
  bool runnable = false;  // programs: has its run bit, for this user
  dev_t device = 0;
  ino_t inode = 0;

  bool usable() const { return state == FileState::usable; }
  bool absent() const { return state == FileState::missing && !is_link; }
};

// A dynamic library must be a whole one of this CPU that has one of the component's SONAMEs, and
// not an anycuda stub, nor NVIDIA's stub of the driver for linking. Temporary memory is taken from
// `arena` and given back.
FileAnswer examine_file(const std::string& path, const Component& component, Arena* arena);

// A program that this user may not run.
inline bool lacks_run_bit(const Component& component, const FileAnswer& file) {
  return component.kind == Kind::program && file.usable() && !file.runnable;
}

}  // namespace anycuda::compat
