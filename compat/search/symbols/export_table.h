// SPDX-License-Identifier: Apache-2.0

// The exports of a file by the hashes of their names (DT_GNU_HASH): a question costs a few steps,
// and names are read only where one is asked for.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>

#include "compat/base/gnu_hash.h"

namespace anycuda {

struct ExportTable {
  // Does the file export a symbol whose name has this hash? It cannot distinguish two names of one
  // hash: use it only where a wrong answer is harmless.
  bool has(std::uint32_t hash) const { return buckets.has(hash); }
  // After ElfReader::read_names().
  bool has(std::uint32_t hash, const char* name) const;
  // As ReleaseNames has it.
  std::uint64_t sum() const;

  GnuHashBuckets buckets;
  const Elf64_Sym* symbols = nullptr;  // buckets.first + buckets.hash_count
  const char* strings = nullptr;       // end with a zero
  std::size_t strings_size = 0;

 private:
  bool is_export(std::uint32_t symbol, const char* name) const;
};

}  // namespace anycuda
