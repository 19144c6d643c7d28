// SPDX-License-Identifier: Apache-2.0

// Looking into one folder, and at one file, for a library.
#pragma once

#include "compat/search/gathered.h"

namespace anycuda {

// Adds the files in `folder` that are named like the library (libcudart.so, libcudart.so.12, ...),
// with their facts. Only absolute folders: the current folder can be any. A file that the search
// has seen, also by another path, is not added twice.
void gather_folder(Gathered* gathered, SearchTier tier, const char* folder);

// Has the folder `below` in `root` a file with the driver's name? True, too, if that cannot be
// told.
bool has_driver(const Gathered& gathered, const char* root, const char* below);

// Reads the facts of one file without loading it, but no image of a file that `gathered` has seen.
// Texts live in the arena.
struct FileFacts {
  ImageFacts image;
  dev_t device = 0;
  ino_t inode = 0;
  bool is_seen = false;
};
FileFacts examine_file(const char* path, const LibraryDescriptor& library,
                       const LibrarySymbols* symbols, Arena* arena,
                       const Gathered* gathered = nullptr);

// Adds one file, with any name, as gather_folder() does. nullptr: seen already, left out
// (TierSummary), or no memory; the arena is then as before.
Candidate* gather_file(Gathered* gathered, SearchTier tier, const char* path);

}  // namespace anycuda
