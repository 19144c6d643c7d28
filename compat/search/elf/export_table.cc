#include "compat/search/elf/export_table.h"

#include <cstring>

#include "compat/base/gnu_hash.h"

namespace anycuda {

bool ExportTable::is_export(std::uint32_t symbol, const char* name) const {
  const Elf64_Sym& entry = symbols[symbol];
  return entry.st_shndx != SHN_UNDEF && entry.st_name < strings_size &&
         std::strcmp(strings + entry.st_name, name) == 0;
}

std::uint64_t ExportTable::sum() const {
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < hash_count; ++i) {
    const std::uint64_t hash = hashes[i] | 1;
    sum += hash * hash;
  }
  return sum;
}

std::uint32_t ExportTable::find(std::uint32_t hash, const char* name) const {
  if (bucket_count == 0) return 0;
  for (std::uint32_t i = buckets[hash % bucket_count] - first; i < hash_count; ++i) {
    if (is_same_hash(hashes[i], hash) && (name == nullptr || is_export(first + i, name))) {
      return first + i;
    }
    if ((hashes[i] & 1) != 0) break;
  }
  return 0;
}

}  // namespace anycuda
