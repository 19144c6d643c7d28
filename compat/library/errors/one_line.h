// SPDX-License-Identifier: Apache-2.0

// Makes one line of a text that people read: paths and the dynamic linker's messages may contain
// any bytes.
#pragma once

#include <string>
#include <string_view>

#include "compat/base/text.h"

namespace anycuda::compat {

inline std::string one_line(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  text::as_one_line(text, [&](char letter) { line += letter; });
  return line;
}

}  // namespace anycuda::compat
