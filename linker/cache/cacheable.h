// SPDX-License-Identifier: Apache-2.0

// Whether the result of a compilation depends only on what is in its key. Pure.
#pragma once

#include <string>
#include <vector>

#include "linker/cache/problem.h"
#include "linker/inputs/source.h"

namespace anycuda::linker {

// `options`: as passed to NVRTC. `files_known`: the caller has passed a text that changes with the
// files that the source includes from disk.
//
// Measured with NVRTC 12.3, 12.9 and 13.5: a header in memory comes before every file; without
// include folders, #include "x.h" reads the folder of the source's name, of a header in memory the
// folder of its name, and of a name without a folder the working folder; and an absolute path is
// always read. So every included name must be that of a header in memory. The scan takes comments,
// strings and inactive lines as code: it may refuse too much, never too little.
Problem why_uncacheable(const Source& source, const std::vector<std::string>& options,
                        bool files_known);

// ptxas reads further options from a file: -optf, --options-file.
bool has_options_file(const std::vector<std::string>& options);

// Debug and line information contain the absolute path of the source (measured): -G, -lineinfo.
bool has_working_folder(const std::vector<std::string>& options);

}  // namespace anycuda::linker
