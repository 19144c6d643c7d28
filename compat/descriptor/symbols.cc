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

int LibrarySymbols::last_row_with(const LibraryDescriptor& library, int symbol, int major) const {
  int row = library.column_of(major);
  if (symbol < 0 || availability_in(row)[symbol] != kNever) return -1;
  do {
    --row;
  } while (row >= 0 && availability_in(row)[symbol] == kNever);
  return row;
}

}  // namespace anycuda
