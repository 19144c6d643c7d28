// Who owns a file: the distributions in the Python packages folder that it lies in whose RECORD
// lists it.
#pragma once

#include "compat/base/arena.h"
#include "compat/base/text_file.h"
#include "compat/search/toolkit/distribution.h"

namespace anycuda {

// A .dist-info folder. All of these live in the arena of their Sites.
struct Installed {
  const Installed* next;
  const char* site;    // the folder that it is installed into
  const char* folder;  // of its metadata, absolute
  Distribution named;  // by that folder's name
};

// A folder that distributions are installed into; or any other: `first` is then nullptr.
struct Site {
  const Site* next;
  const char* folder;
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
};

// Looks each folder up once.
class Sites {
 public:
  explicit Sites(Arena* arena) : arena_(arena) {}

  // The owners of `path` (absolute, as text without ".."; links are not followed), by the RECORDs
  // in the nearest folder above it that has an owner; for a file in PREFIX/bin also in PREFIX's
  // Pythons.
  //
  // The wheels that a CUDA Toolkit comes in are called nvidia-... and cuda-.... Distributions of
  // other names, of which there may be hundreds, are looked into only if none of those lists it.
  Owners owners_of(const char* path, bool is_folder);
  // Of one distribution alone.
  bool lists(const Installed& distribution, const char* path, bool is_folder);

  const Site* at(const char* folder);

 private:
  void look_above(const char* path, bool is_folder, bool nvidia, Owners* owners);
  void look_beside(const char* path, bool is_folder, bool nvidia, Owners* owners);
  void look_in(const Site& site, const char* path, bool is_folder, bool nvidia, Owners* owners);

  Arena* arena_;
  const Site* first_ = nullptr;
  TextFile record_;
};

}  // namespace anycuda
