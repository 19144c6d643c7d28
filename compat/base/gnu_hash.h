// SPDX-License-Identifier: Apache-2.0

// DT_GNU_HASH: the hash of a symbol's name, and the way from it to the symbol.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace anycuda {

constexpr std::uint32_t gnu_hash(std::string_view name) {
  std::uint32_t hash = 5381;
  for (const char c : name) hash = hash * 33 + static_cast<unsigned char>(c);
  return hash;
}

constexpr std::uint32_t power_of_33(int exponent) {
  return exponent != 0 ? 33 * power_of_33(exponent - 1) : 1;
}

// A name and its hash, eight letters at a time, for tables with many names. Seven bytes behind the
// zero that ends the name must be readable.
class HashedName {
 public:
  explicit HashedName(const char* name) : name_(name) {
    constexpr std::uint64_t kOnes = ~std::uint64_t{0} / 0xff;
    for (const char* at = name;; at += 8) {
      std::uint64_t word;
      std::memcpy(&word, at, sizeof word);
      const std::uint64_t zeros = (word - kOnes) & ~word & kOnes << 7;  // the lowest is the first
      if (zeros == 0) {
        hash_ = hash_ * power_of_33(8) + hash_of(word);
        continue;
      }
      const int letters = __builtin_ctzll(zeros) / 8;
      length_ = static_cast<std::size_t>(at - name) + static_cast<std::size_t>(letters);
      // Zeros in front of the letters do not change the sum.
      if (letters != 0) hash_ = hash_ * kPowers[letters] + hash_of(word << (64 - 8 * letters));
      return;
    }
  }
  const char* name() const { return name_; }
  std::size_t length() const { return length_; }
  std::uint32_t hash() const { return hash_; }

 private:
  static constexpr std::uint32_t kPowers[] = {power_of_33(0), power_of_33(1), power_of_33(2),
                                              power_of_33(3), power_of_33(4), power_of_33(5),
                                              power_of_33(6), power_of_33(7)};
  // The sum of eight letters, the first (the lowest byte) times 33 to the power of 7, and so on:
  // first of pairs, then of fours, then of all.
  [[gnu::always_inline]] static std::uint32_t hash_of(std::uint64_t word) {
    constexpr std::uint64_t kBytes = 0x00ff00ff00ff00ff;
    constexpr std::uint64_t kPairs = 0x0000ffff0000ffff;
    const std::uint64_t pairs = (word & kBytes) * 33 + (word >> 8 & kBytes);
    const std::uint64_t fours = (pairs & kPairs) * power_of_33(2) + (pairs >> 16 & kPairs);
    return static_cast<std::uint32_t>(fours) * power_of_33(4) +
           static_cast<std::uint32_t>(fours >> 32);
  }

  const char* name_;
  std::size_t length_ = 0;
  std::uint32_t hash_ = 5381;
};

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

  // A symbol whose name has this hash. It cannot distinguish two names of one hash.
  bool has(std::uint32_t hash) const {
    return find(hash, [](std::uint32_t) { return true; }) != 0;
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
