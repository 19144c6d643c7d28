// SPDX-License-Identifier: Apache-2.0
#include "compat/search/symbols/loaded_names.h"

#include <elf.h>

#include <cstring>

namespace anycuda {
namespace {

// Of the entries of DT_VERSYM; the highest bit hides a symbol from those that name no version.
constexpr ElfW(Half) kVersionNumber = 0x7fff;

std::uint64_t word_at(const char* text) {
  std::uint64_t word;
  std::memcpy(&word, text, sizeof word);
  return word;
}

// Texts of that size, with the zero that ends them. Of both kBehind bytes more are readable.
constexpr std::size_t kBehind = 7;
bool is_same(const char* one, const char* other, std::size_t size) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  for (; size > kWord; size -= kWord, one += kWord, other += kWord) {
    if (word_at(one) != word_at(other)) return false;
  }
  return (word_at(one) ^ word_at(other)) << 8 * (kWord - size) == 0;
}

}  // namespace

LoadedNames::LoadedNames(const dl_phdr_info& info)
    : segments_(info.dlpi_phdr), segment_count_(info.dlpi_phnum), base_(info.dlpi_addr) {
  int i = 0;
  while (i < segment_count_ && segments_[i].p_type != PT_DYNAMIC) ++i;
  if (i == segment_count_) return;
  entries_ = reinterpret_cast<const ElfW(Dyn)*>(base_ + segments_[i].p_vaddr);
}

const ElfW(Dyn) * LoadedNames::entry(ElfW(Sxword) tag) const {
  const ElfW(Dyn)* entry = entries_;
  if (entry == nullptr) return nullptr;
  while (entry->d_tag != tag) {
    if (entry++->d_tag == DT_NULL) return nullptr;
  }
  return entry;
}

// glibc relocates the addresses in a loaded object's dynamic section in place, but not where it may
// not write: there they are those that the object was linked with, which are very large in gVisor's
// vdso.
const char* LoadedNames::data_at(ElfW(Addr) address) const {
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

const char* LoadedNames::table(ElfW(Sxword) tag) const {
  const ElfW(Dyn)* const found = entry(tag);
  return found != nullptr ? data_at(found->d_un.d_ptr) : nullptr;
}

// One look at the entries: a search asks every object of a process.
LoadedNames::OwnNames LoadedNames::own_names() const {
  ElfW(Addr) soname = 0;
  ElfW(Addr) strings = 0;
  ElfW(Addr) definitions = 0;
  const ElfW(Dyn)* entry = entries_;
  for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_STRTAB) strings = entry->d_un.d_ptr;
    if (entry->d_tag == DT_SONAME) soname = entry->d_un.d_val;
    if (entry->d_tag != DT_VERDEF) continue;
    definitions = entry->d_un.d_ptr;
    if (strings != 0 && soname != 0) break;
  }
  OwnNames names;
  if (strings == 0) return names;
  names.strings = data_at(strings);
  if (soname != 0) names.soname = names.strings + soname;
  if (definitions != 0) names.definitions = data_at(definitions);
  return names;
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
  const ElfW(Addr) word = filter[hash / kBits % words];
  const std::uint32_t second = hash >> hashes_[3];
  return (word >> hash % kBits & word >> second % kBits & 1) != 0;
}

std::uint32_t LoadedSymbols::index_of(const char* name, std::uint32_t hash) const {
  if (!may_define(hash) || strings_ == nullptr || symbols_ == nullptr) return 0;
  // GNU ld also hashes some of the functions that an object only imports.
  return gnu_hash_buckets(hashes_).find(hash, [&](std::uint32_t symbol) {
    return symbols_[symbol].st_shndx != SHN_UNDEF &&
           std::strcmp(strings_ + symbols_[symbol].st_name, name) == 0;
  });
}

std::uint16_t VersionedSymbols::version_number(const char* version, std::uint32_t hash) const {
  if (strings_ == nullptr) return 0;
  std::uint16_t number = 0;
  each_definition(definitions_, strings_, [&](const ElfW(Verdef) & definition, const char* name) {
    if (definition.vd_hash != hash || std::strcmp(name, version) != 0) return true;
    number = definition.vd_ndx & kVersionNumber;
    return false;
  });
  return number;
}

// (No symbol that matters has its name at the very end of a table. It would not be found.)
bool VersionedSymbols::defines(const HashedName& name, std::uint16_t version) const {
  if (hashes_ == nullptr || versions_ == nullptr) return false;
  const std::size_t size = name.length() + 1;
  const auto is_it = [&](std::uint32_t symbol) {
    const ElfW(Sym)& found = symbols_[symbol];
    return (versions_[symbol] & kVersionNumber) == version && found.st_shndx != SHN_UNDEF &&
           found.st_name + size + kBehind <= strings_size_ &&
           is_same(strings_ + found.st_name, name.name(), size);
  };
  return gnu_hash_buckets(hashes_).find(name.hash(), is_it) != 0;
}

LoadedSymbols LoadedNames::symbols() const {
  LoadedSymbols symbols;
  symbols.hashes_ = reinterpret_cast<const std::uint32_t*>(table(DT_GNU_HASH));
  symbols.strings_ = table(DT_STRTAB);
  symbols.symbols_ = reinterpret_cast<const ElfW(Sym)*>(table(DT_SYMTAB));
  return symbols;
}

VersionedSymbols LoadedNames::versioned_symbols() const {
  VersionedSymbols symbols(this->symbols());
  symbols.versions_ = reinterpret_cast<const ElfW(Half)*>(table(DT_VERSYM));
  symbols.definitions_ = table(DT_VERDEF);
  const ElfW(Dyn)* const size = entry(DT_STRSZ);
  symbols.strings_size_ = size != nullptr ? size->d_un.d_val : 0;
  return symbols;
}

LoadedSymbols LoadedNames::symbols_for(std::uint32_t hash) const {
  LoadedSymbols filter;
  filter.hashes_ = reinterpret_cast<const std::uint32_t*>(table(DT_GNU_HASH));
  return filter.may_define(hash) ? symbols() : LoadedSymbols();
}

const void* LoadedNames::address_of(const char* name, std::uint32_t hash, std::size_t* size) const {
  const LoadedSymbols found = symbols_for(hash);
  const std::uint32_t symbol = found.index_of(name, hash);
  if (symbol == 0) return nullptr;
  if (size != nullptr) *size = found.symbols_[symbol].st_size;
  return reinterpret_cast<const void*>(base_ + found.symbols_[symbol].st_value);
}

}  // namespace anycuda
