// SPDX-License-Identifier: Apache-2.0

// The owners of a file: the distributions, in the Python packages folder that contains it, whose
// RECORD lists it. Also the folders with the records of package managers, each listed once.
#pragma once

#include "compat/base/arena.h"
#include "compat/base/text_file.h"
#include "compat/metadata/records/distribution.h"
#include "compat/metadata/toolkit_rule.h"

namespace anycuda {

// A .dist-info folder, or the record of another manager's package. All of these live in the arena
// of their Sites.
struct Installed {
  const Installed* next;
  const char* site;    // the folder that it is installed into; another manager's: of its record
  const char* folder;  // of its metadata, absolute; another manager's: its record
  Distribution named;  // by its name; of dpkg's without the version
};

// A folder that distributions are installed into, or one with another manager's records; or any
// other: `first` is then nullptr. Of other managers only the packages in
// compat/catalogue/packages.txt are there.
struct Site {
  const Site* next;
  const char* folder;
  Manager manager;
  const Installed* first;
  int count;
  bool incomplete;  // there are more than are looked at, or than there is memory for
};

struct Owners {
  static constexpr int kMost = 8;
  const Installed* found[kMost];
  int count;
  const Site* site;     // theirs; without owners the nearest that has distributions, or nullptr
  const char* problem;  // "": all that could own it were read
  Manager manager;      // whose packages they are
};

// Looks each folder up once.
class Sites {
 public:
  // `root` stands for "/", "" for "/" itself.
  Sites(Arena* arena, const char* root) : arena_(arena), root_(root) {}

  // The owners of `path` (absolute, as text without ".."; links are not followed), by the RECORDs
  // in the nearest folder above it that has an owner; for a file in PREFIX/bin also in PREFIX's
  // Pythons.
  //
  // The wheels that a CUDA Toolkit comes in are called nvidia-... and cuda-.... Distributions of
  // other names, of which there may be hundreds, are looked into only if none of those lists it.
  Owners owners_of(const char* path, bool is_folder);
  // Of one distribution alone.
  bool lists(const Installed& distribution, const char* path, bool is_folder);

  const Site* at(const char* folder, Manager manager = Manager::wheel);

  Arena* arena() const { return arena_; }
  const char* root() const { return root_; }

 private:
  void look_above(const char* path, bool is_folder, bool nvidia, Owners* owners);
  void look_beside(const char* path, bool is_folder, bool nvidia, Owners* owners);
  void look_in(const Site& site, const char* path, bool is_folder, bool nvidia, Owners* owners);

  Arena* arena_;
  const char* root_;
  const Site* first_ = nullptr;
  TextFile record_;
};

}  // namespace anycuda
