// SPDX-License-Identifier: Apache-2.0
#include "compat/search/symbols/export_table.h"

#include <cstring>

namespace anycuda {

bool ExportTable::is_export(std::uint32_t symbol, const char* name) const {
  const Elf64_Sym& entry = symbols[symbol];
  return entry.st_shndx != SHN_UNDEF && entry.st_name < strings_size &&
         std::strcmp(strings + entry.st_name, name) == 0;
}

std::uint64_t ExportTable::sum() const {
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < buckets.hash_count; ++i) {
    const std::uint64_t hash = buckets.hashes[i] | 1;
    sum += hash * hash;
  }
  return sum;
}

std::uint32_t ExportTable::find(std::uint32_t hash, const char* name) const {
  return buckets.find(
      hash, [&](std::uint32_t symbol) { return name == nullptr || is_export(symbol, name); });
}

}  // namespace anycuda
