// The hash of a symbol's name, as DT_GNU_HASH has it.
#pragma once

#include <cstdint>
#include <string_view>

namespace anycuda {

constexpr std::uint32_t gnu_hash(std::string_view name) {
  std::uint32_t hash = 5381;
  for (const char c : name) hash = hash * 33 + static_cast<unsigned char>(c);
  return hash;
}

// In the table the lowest bit of a hash ends a bucket, and says nothing of the name.
constexpr bool is_same_hash(std::uint32_t one, std::uint32_t other) {
  return ((one ^ other) | 1) == 1;
}

}  // namespace anycuda
