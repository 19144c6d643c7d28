// SPDX-License-Identifier: Apache-2.0

// Pieces of messages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "anycuda/compat/version.h"

namespace anycuda::linker {

std::string describe(Version version);  // "12.9", "12", "unknown"
constexpr bool older(Version a, Version b) {
  return a.major != b.major ? a.major < b.major : a.minor < b.minor;
}
// Control characters as \x01: paths may have any bytes.
std::string in_one_line(std::string_view text);
std::string quoted(std::string_view text);  // 'text' in one line; long ones are cut
std::string joined(const std::vector<std::string>& pieces, const char* between);

}  // namespace anycuda::linker
