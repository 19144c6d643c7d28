// SPDX-License-Identifier: Apache-2.0

// Whether a distribution's RECORD lists a file, and so owns it. Pure.
//
// Source: Python packaging, "Recording installed projects", "The RECORD file": lines of CSV whose
// first field is a path, absolute or relative to the folder that holds the .dist-info folder, with
// "/" between its parts.
#pragma once

#include <string_view>

#include "compat/base/arena.h"

namespace anycuda {

// `record`: the file's text. `site`: the folder that holds the .dist-info folder. `path`: absolute,
// of a file, or, if `is_folder`, of a folder: does the record list anything in it or below? Paths
// are compared as text, with "//", "." and ".." resolved as text; links are not followed.
bool record_lists(Arena* arena, std::string_view record, std::string_view site,
                  std::string_view path, bool is_folder = false);

}  // namespace anycuda
