// SPDX-License-Identifier: Apache-2.0

// DT_GNU_HASH: the hash of a symbol's name, and the way from it to the symbol.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace anycuda {

constexpr std::uint32_t gnu_hash(std::string_view name) {
  std::uint32_t hash = 5381;
  for (const char c : name) hash = hash * 33 + static_cast<unsigned char>(c);
  return hash;
}

// In the table the lowest bit of a hash marks the end of a bucket, and does not belong to the hash.
constexpr bool is_same_hash(std::uint32_t one, std::uint32_t other) {
  return ((one ^ other) | 1) == 1;
}

// What follows the filter in the table: a bucket has the number of its first symbol (0: none), and
// from symbol `first` on each has its hash.
struct GnuHashBuckets {
  const std::uint32_t* heads = nullptr;
  std::uint32_t count = 0;
  const std::uint32_t* hashes = nullptr;
  std::uint32_t first = 0;
  std::uint32_t hash_count = 0;  // the last hash ends a bucket

  // Number of the first symbol with that hash for which is_it(number) is true; 0: not found.
  template <typename IsIt>
  std::uint32_t find(std::uint32_t hash, IsIt is_it) const {
    if (count == 0) return 0;
    // An empty bucket's 0 lies before `first`: the difference is larger than any number.
    for (std::uint32_t i = heads[hash % count] - first; i < hash_count; ++i) {
      if (is_same_hash(hashes[i], hash) && is_it(first + i)) return first + i;
      if ((hashes[i] & 1) != 0) break;
    }
    return 0;
  }
};

// Of a loaded object's table, which does not have the number of hashes. It begins with the numbers
// of buckets, of the first symbol, of the filter's words, and a shift.
inline GnuHashBuckets gnu_hash_buckets(const std::uint32_t* table) {
  const std::uint32_t* heads = table + 4 + std::size_t{table[2]} * (8 / sizeof *heads);
  constexpr std::uint32_t kUnknown = 0x7fffffff;
  return {heads, table[0], heads + table[0], table[1], kUnknown};
}

}  // namespace anycuda
