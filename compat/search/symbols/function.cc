// SPDX-License-Identifier: Apache-2.0
#include "compat/search/symbols/function.h"

#include <dlfcn.h>
#include <link.h>

#include <cstring>

#include "compat/base/gnu_hash.h"

namespace anycuda {
namespace {

// glibc writes addresses into an object's dynamic section when it loads it, but not where the
// section is read-only: there they are offsets, which lie below the object.
template <typename Table>
void read(const link_map& object, const ElfW(Dyn) & entry, const Table** table) {
  const ElfW(Addr) place = entry.d_un.d_ptr;
  *table = reinterpret_cast<const Table*>(place < object.l_addr ? object.l_addr + place : place);
}

}  // namespace

// glibc's handle of a library is its entry in the link map.
Functions::Functions(void* handle) : handle_(handle) {
  const auto& object = *static_cast<const link_map*>(handle);
  for (const ElfW(Dyn)* entry = object.l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_STRTAB) read(object, *entry, &strings_);
    if (entry->d_tag == DT_SYMTAB) read(object, *entry, &symbols_);
    if (entry->d_tag == DT_GNU_HASH) read(object, *entry, &gnu_hash_);
    if (entry->d_tag == DT_HASH) read(object, *entry, &hash_);
  }
}

bool Functions::is_named(std::uint32_t symbol, const char* name) const {
  const ElfW(Sym)& entry = symbols_[symbol];
  const bool is_exported = entry.st_shndx != SHN_UNDEF && ELF64_ST_BIND(entry.st_info) != STB_LOCAL;
  return is_exported && std::strcmp(strings_ + entry.st_name, name) == 0;
}

std::uint32_t Functions::find_by_gnu_hash(const char* name) const {
  return gnu_hash_buckets(gnu_hash_).find(
      gnu_hash(name), [&](std::uint32_t symbol) { return is_named(symbol, name); });
}

// DT_HASH begins with the numbers of buckets and of symbols. An object without DT_GNU_HASH has few
// symbols.
std::uint32_t Functions::find_one_by_one(const char* name) const {
  for (std::uint32_t i = 1; i < hash_[1]; ++i) {
    if (is_named(i, name)) return i;
  }
  return 0;
}

void* Functions::find(const char* name) const {
  if (strings_ == nullptr || symbols_ == nullptr) return nullptr;
  const std::uint32_t found = gnu_hash_ != nullptr ? find_by_gnu_hash(name)
                              : hash_ != nullptr   ? find_one_by_one(name)
                                                   : 0;
  if (found == 0) return nullptr;
  const ElfW(Sym)& symbol = symbols_[found];
  // A function of the library chooses the address: the dynamic linker asks it.
  if (ELF64_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC) return dlsym(handle_, name);
  return reinterpret_cast<void*>(static_cast<const link_map*>(handle_)->l_addr + symbol.st_value);
}

}  // namespace anycuda
