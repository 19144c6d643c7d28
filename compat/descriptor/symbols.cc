// SPDX-License-Identifier: Apache-2.0
#include "compat/descriptor/symbols.h"

#include <cstring>

namespace anycuda {

int LibrarySymbols::find_symbol(const char* name) const {
  int low = 0;
  int high = symbol_count;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    const int order = std::strcmp(name, symbol_name(middle));
    if (order == 0) return middle;
    if (order < 0) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return -1;
}

}  // namespace anycuda
