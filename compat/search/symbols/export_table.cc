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
  const std::uint32_t* const end = buckets.hashes + buckets.hash_count;
  for (const std::uint32_t* at = buckets.hashes; at != end; ++at) {
    const std::uint64_t hash = *at | 1;
    sum += hash * hash;
  }
  return sum;
}

bool ExportTable::has(std::uint32_t hash, const char* name) const {
  return buckets.find(hash, [&](std::uint32_t symbol) { return is_export(symbol, name); }) != 0;
}

}  // namespace anycuda
