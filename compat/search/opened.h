// Is an opened library the one that was examined?
#pragma once

#include "compat/search/state.h"

namespace anycuda {

// Calls the library's version function, if the release that the candidate seems to be of has it.
Reported ask_version(const LibraryDescriptor& library, void* handle, Version seeming);

// The state of the candidate once it is open under `handle`: `usable`, or what is wrong with it,
// with its detail. A version that differs from the metadata's is evaluated again.
FileState check_opened(Search* search, Candidate* candidate, void* handle);

}  // namespace anycuda
