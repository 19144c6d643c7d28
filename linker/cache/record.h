// SPDX-License-Identifier: Apache-2.0

// The bytes of an entry. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace anycuda::linker {

using Fields = std::vector<std::string>;

// Each text after its length, so different lists have different bytes.
std::string encode(const Fields& fields);

// FNV-1a of 64 bits (IETF draft-eastlake-fnv): a change of one byte always changes it. It detects
// damage and names files. It is not a defence: an entry contains its whole key, which is compared.
std::uint64_t hash_of(std::string_view bytes);

std::string entry_of(std::string_view key, const Fields& value);

struct Entry {
  bool damaged = false;              // truncated, changed, or of another format
  std::optional<Fields> value = {};  // empty: damaged, or the entry of another key
};
Entry read_entry(std::string_view bytes, std::string_view key);

}  // namespace anycuda::linker
