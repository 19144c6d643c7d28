// SPDX-License-Identifier: Apache-2.0

// The CUDA Toolkit of a library's file, only from authoritative sources (metadata.h of the compat
// library lists them): read without loading the file, with only libc.
#pragma once

#include "compat/base/arena.h"
#include "compat/search/version/release_by_name.h"

namespace anycuda {

class Sites;

// `path`: absolute, of a file or of a folder of headers. Folders that `sites` has looked at are not
// looked at again. `arena` is the one that `sites` was made with.
ToolkitVersion toolkit_version_of(const char* path, Arena* arena, Sites* sites);

}  // namespace anycuda
