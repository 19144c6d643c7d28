// SPDX-License-Identifier: Apache-2.0

// Makes one line of a text that people read: paths and the dynamic linker's messages may contain
// any bytes.
#pragma once

#include <string>
#include <string_view>

#include "compat/base/text.h"

namespace anycuda::compat {

// With visible escapes ("\x0a") in place of control characters.
inline std::string one_line(std::string_view text) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string line;
  line.reserve(text.size());
  bool second = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool control = second || text::is_control(c, i + 1 < text.size() ? text[i + 1] : '\0');
    second = control && c == text::kC1;
    if (!control) {
      line += c;
      continue;
    }
    const auto code = static_cast<unsigned char>(c);
    for (const char part : {'\\', 'x', kDigits[code >> 4], kDigits[code & 15]}) line += part;
  }
  return line;
}

}  // namespace anycuda::compat
