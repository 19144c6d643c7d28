// Looking into one folder, and at one file, for a library.
#pragma once

#include "loader/candidate.h"

namespace anycuda {

// Adds every file in `folder` that is named like the library (libcudart.so, libcudart.so.12, ...),
// with what the file says about itself. Only absolute folders: the current directory is nobody's
// promise. A file that the search has seen, by whatever path, is not added twice.
void gather_folder(Search* search, Place place, const char* folder);

// The same for one file, whatever its name.
Candidate* gather_file(Search* search, Place place, const char* path);

// Calls visit(entry name) for the entries of `folder` that start with `prefix`.
void each_entry(const char* folder, const char* prefix, void (*visit)(const char*, void*),
                void* argument);

}  // namespace anycuda
