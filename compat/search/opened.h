// Opening a library, and whether what was opened is the one that was examined.
#pragma once

#include "compat/search/state.h"

namespace anycuda {

// NOW: a library that needs a symbol nobody has is refused here, where the next can still be tried;
// bound lazily it would end the program in the middle of a call.
constexpr int kOpenFlags = RTLD_NOW | RTLD_LOCAL;

// Calls the library's version function, if the release that the candidate seems to be of has it.
Reported ask_version(const LibraryDescriptor& library, void* handle, Version seeming);

// The state of the candidate once it is open under `handle`: `usable`, or what is wrong with it,
// with its detail. What the library reports is in the candidate then. With an inode of 0 the file
// was not examined: it is the process's own.
FileState compare_opened(const LibraryDescriptor& library, Candidate* candidate, void* handle,
                         Arena* arena);

// The same; a version that differs from the metadata's is evaluated again.
FileState check_opened(Search* search, Candidate* candidate, void* handle);

}  // namespace anycuda
