// SPDX-License-Identifier: Apache-2.0

// Numbers as text: 12.4.
#pragma once

#include "device_code/entry.h"

namespace anycuda::device_code {

// Reads digits from *at on and leaves it behind them; -1 where it finds no digit, or more than fit.
inline int read_number(Bytes text, std::size_t* at) {
  constexpr int kMost = 99999;
  int number = -1;
  for (; *at < text.size && text.data[*at] >= '0' && text.data[*at] <= '9'; ++*at) {
    number = (number < 0 ? 0 : number) * 10 + (text.data[*at] - '0');
    if (number > kMost) return -1;
  }
  return number;
}

// The version at the beginning of the text; unknown if the text begins otherwise.
inline Version read_version(Bytes text) {
  std::size_t at = 0;
  const int major = read_number(text, &at);
  if (major <= 0 || at >= text.size || text.data[at] != '.') return {};
  ++at;
  const int minor = read_number(text, &at);
  return minor < 0 ? Version{} : Version{major, minor};
}

}  // namespace anycuda::device_code
