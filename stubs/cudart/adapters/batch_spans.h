// SPDX-License-Identifier: Apache-2.0

// A batch has the properties of its entries in a second, shorter array of items, with the index of
// the first entry that each item is for: {0, 6} for the entries 0 to 5 and 6 to the end.
#pragma once

#include <cstddef>

namespace anycuda {

// CUDA Runtime API, cudaMemcpyBatchAsync: the first index is 0, each is greater than the one
// before, the last is an entry's. So there is at least one item, and no more items than entries.
inline bool spans_cover(const std::size_t* firsts, std::size_t items, std::size_t entries) {
  if (firsts == nullptr || items == 0 || items > entries || firsts[0] != 0) return false;
  for (std::size_t i = 1; i < items; ++i) {
    if (firsts[i] <= firsts[i - 1]) return false;
  }
  return firsts[items - 1] < entries;
}

// The item of an entry, for entries that are asked for in order.
class SpanWalk {
 public:
  SpanWalk(const std::size_t* firsts, std::size_t items) : firsts_(firsts), items_(items) {}
  std::size_t item_of(std::size_t entry) {
    while (item_ + 1 < items_ && firsts_[item_ + 1] <= entry) ++item_;
    return item_;
  }

 private:
  const std::size_t* firsts_;
  std::size_t items_;
  std::size_t item_ = 0;
};

}  // namespace anycuda
