// SPDX-License-Identifier: Apache-2.0

// Companions: the libraries that a library of CUDA needs, and the files that it opens by their
// names. The dynamic linker looks for them in its own order: LD_LIBRARY_PATH comes before a
// DT_RUNPATH, and some files have none. A companion that is in the process under its SONAME
// satisfies a later need, whatever its path; so those of the library's own environment are opened
// first, by full path, where the dynamic linker could find another file or none.
#pragma once

#include "compat/descriptor/library.h"
#include "compat/search/machine/machine.h"

namespace anycuda {

// The name of the file that the library at `path` opens by its name (LibraryDescriptor::opens), if
// neither its own folder nor the dynamic linker has it; "libnvrtc-builtins.so.12.4", or
// "libnvrtc-builtins.so.12" if the release is not known. nullptr: nothing is missing.
const char* missing_companion(const Machine& machine, const LibraryDescriptor& library,
                              const char* path, Version release, bool is_exact, Arena* arena);

class Companions {
 public:
  Companions(const Machine& machine, Arena* arena) : machine_(machine), arena_(*arena) {}
  // Lets them go: a library that is open by then keeps those that it needs.
  ~Companions();
  Companions(const Companions&) = delete;
  Companions& operator=(const Companions&) = delete;

  // What the library at `path` needs (DT_NEEDED), and they in turn.
  void open_needed(const char* path);
  // The library's parts (LibraryDescriptor::parts) beside the library at `path`, if LD_LIBRARY_PATH
  // has some, too. They stay open: nothing else keeps them.
  void open_parts(const LibraryDescriptor& library, const char* path);

 private:
  static constexpr int kMost = 16;
  static constexpr int kMostDepth = 4;

  void open_needed(const char* path, int depth);
  void need(const char* path, const char* run_path, bool is_rpath, const char* name, int depth);

  const Machine& machine_;
  Arena& arena_;
  void* handles_[kMost];
  int count_ = 0;
  bool has_library_path_ = false;
};

}  // namespace anycuda
