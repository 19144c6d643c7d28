// SPDX-License-Identifier: Apache-2.0

// What follows once a library is open: is it the examined one? And the file that it opens itself.
#pragma once

#include "compat/search/candidate.h"
#include "compat/search/machine/machine.h"

namespace anycuda {

// Calls the library's version function, if the release that it seems to be of has it.
Reported ask_version(const LibraryDescriptor& library, void* handle, Version seeming);

// The state of the candidate once it is open under `handle`: `usable`, or what is wrong with it,
// with its detail. Stores in the candidate what the library reports. With an inode of 0 the file
// was not examined: the process had it already.
FileState compare_opened(const LibraryDescriptor& library, Candidate* candidate, void* handle,
                         Arena* arena);

// The path of the file that is open; glibc's handle of a library is its entry in the link map.
const char* opened_path(void* handle);

// Opens the library's companion, the file that the library opens by its name alone
// (LibraryDescriptor::opens), in the library's own folder. NVRTC 13.0 opens
// libnvrtc-builtins.so.13.0, and has no run path to it. The dynamic linker takes a file that is
// loaded under this name, wherever it is, so the companion stays open. If it is missing, the
// library reports that itself. `seeming`: the library's version by its names.
void open_companion(const LibraryDescriptor& library, void* handle, Version seeming);

}  // namespace anycuda
