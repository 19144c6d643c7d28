// SPDX-License-Identifier: Apache-2.0

// The release of a candidate: exact if a name tells it; else a lower bound.
#pragma once

#include "compat/search/candidate.h"

namespace anycuda {

// The release of a library's file by names. Narrows the image's version and newest major.
ToolkitVersion read_release(const LibraryDescriptor& library, const char* path, Arena* arena,
                            ImageFacts* image);

// The same of a candidate, once.
void read_toolkit_version(const LibraryDescriptor& library, Candidate* candidate, Arena* arena);

}  // namespace anycuda
