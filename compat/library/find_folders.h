// SPDX-License-Identifier: Apache-2.0

// Paths as texts, and the catalogue's folders with a '*' in them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace anycuda::compat {

// Without doubled and trailing slashes and without "." in it; ".." stays, as links may be on the
// way. "/" becomes "".
std::string plain_path(std::string_view path);

// The folders below `base` that a pattern means: where a component has a '*', those that are there,
// the newest version first; else the one path, there or not. A folder that cannot be read is put
// among the remarks.
std::vector<std::string> folders_like(const std::string& base, std::string_view pattern,
                                      std::vector<std::string>* remarks);

}  // namespace anycuda::compat
