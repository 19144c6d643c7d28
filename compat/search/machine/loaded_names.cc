// SPDX-License-Identifier: Apache-2.0
#include "compat/search/machine/loaded_names.h"

#include <elf.h>

#include <cstring>

namespace anycuda {

LoadedNames::LoadedNames(const dl_phdr_info& info)
    : segments_(info.dlpi_phdr), segment_count_(info.dlpi_phnum), base_(info.dlpi_addr) {
  for (int i = 0; i < segment_count_; ++i) {
    if (segments_[i].p_type != PT_DYNAMIC) continue;
    entries_ = reinterpret_cast<const ElfW(Dyn)*>(base_ + segments_[i].p_vaddr);
  }
}

const ElfW(Dyn) * LoadedNames::entry(ElfW(Sxword) tag) const {
  const ElfW(Dyn)* entry = entries_;
  while (entry != nullptr && entry->d_tag != tag) {
    entry = entry->d_tag != DT_NULL ? entry + 1 : nullptr;
  }
  return entry;
}

// glibc relocates the addresses in a loaded object's dynamic section in place, but not where it may
// not write: there they are those that the object was linked with, which are very large in gVisor's
// vdso.
const char* LoadedNames::table(ElfW(Sxword) tag) const {
  const ElfW(Dyn)* const found = entry(tag);
  if (found == nullptr) return nullptr;
  const ElfW(Addr) address = found->d_un.d_ptr;
  if (segments_ == nullptr) {
    return reinterpret_cast<const char*>(address < base_ ? base_ + address : address);
  }
  for (int i = 0; i < segment_count_; ++i) {
    const ElfW(Phdr)& segment = segments_[i];
    const ElfW(Addr) start = base_ + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && address - start < segment.p_memsz) {
      return reinterpret_cast<const char*>(address);
    }
  }
  return reinterpret_cast<const char*>(address + base_);
}

const char* LoadedNames::text(const ElfW(Dyn) * name) const {
  if (name == nullptr || name->d_un.d_val == 0) return nullptr;
  const char* const strings = table(DT_STRTAB);
  return strings != nullptr ? strings + name->d_un.d_val : nullptr;
}

bool LoadedNames::needs(const char* library, const char** version) const {
  const char* const strings = table(DT_STRTAB);
  const auto is_library = [&](std::size_t name) {
    return std::strcmp(strings + name, library) == 0;
  };
  bool found = false;
  const ElfW(Dyn)* entry = strings != nullptr ? entries_ : nullptr;
  for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    found = found || (entry->d_tag == DT_NEEDED && is_library(entry->d_un.d_val));
  }
  *version = nullptr;
  for (const char* place = found ? table(DT_VERNEED) : nullptr; place != nullptr;) {
    const auto* need = reinterpret_cast<const ElfW(Verneed)*>(place);
    if (is_library(need->vn_file)) {
      const auto* name = reinterpret_cast<const ElfW(Vernaux)*>(place + need->vn_aux);
      *version = strings + name->vna_name;
      break;
    }
    place = need->vn_next != 0 ? place + need->vn_next : nullptr;
  }
  return found;
}

bool LoadedSymbols::may_define(std::uint32_t hash) const {
  constexpr std::uint32_t kBits = 8 * sizeof(ElfW(Addr));
  const std::uint32_t words = hashes_ != nullptr ? hashes_[2] : 0;
  if (words == 0) return false;
  const auto* filter = reinterpret_cast<const ElfW(Addr)*>(hashes_ + 4);
  return (filter[hash / kBits % words] >> hash % kBits & 1) != 0;
}

std::uint32_t LoadedSymbols::index_of(const char* name, std::uint32_t hash) const {
  const bool compares = name != nullptr;
  if (!may_define(hash) || (compares && (strings_ == nullptr || symbols_ == nullptr))) return 0;
  return gnu_hash_buckets(hashes_).find(hash, [&](std::uint32_t symbol) {
    return !compares || std::strcmp(strings_ + symbols_[symbol].st_name, name) == 0;
  });
}

LoadedSymbols LoadedNames::symbols() const {
  LoadedSymbols symbols;
  symbols.hashes_ = reinterpret_cast<const std::uint32_t*>(table(DT_GNU_HASH));
  symbols.strings_ = table(DT_STRTAB);
  symbols.symbols_ = reinterpret_cast<const ElfW(Sym)*>(table(DT_SYMTAB));
  return symbols;
}

LoadedSymbols LoadedNames::symbols_for(std::uint32_t hash) const {
  LoadedSymbols filter;
  filter.hashes_ = reinterpret_cast<const std::uint32_t*>(table(DT_GNU_HASH));
  return filter.may_define(hash) ? symbols() : LoadedSymbols();
}

const void* LoadedNames::address_of(const char* name, std::uint32_t hash) const {
  const LoadedSymbols found = symbols_for(hash);
  const std::uint32_t symbol = found.index_of(name, hash);
  if (symbol == 0) return nullptr;
  return reinterpret_cast<const void*>(base_ + found.symbols_[symbol].st_value);
}

}  // namespace anycuda
