#include "compat/search/machine/loaded_names.h"

#include <elf.h>

#include <cstring>

namespace anycuda {

// glibc relocates the addresses in a loaded object's dynamic section in place, but not where it may
// not write: the vdso has those that it was linked with, which are very large in gVisor's.
const char* LoadedNames::at(const ElfW(Dyn) * entry) const {
  if (entry == nullptr) return nullptr;
  const ElfW(Addr) address = entry->d_un.d_ptr;
  for (int i = 0; i < segment_count_; ++i) {
    const ElfW(Phdr)& segment = segments_[i];
    const ElfW(Addr) start = base_ + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && address - start < segment.p_memsz) {
      return reinterpret_cast<const char*>(address);
    }
  }
  return reinterpret_cast<const char*>(address + base_);
}

LoadedNames::LoadedNames(const dl_phdr_info& info)
    : segments_(info.dlpi_phdr), segment_count_(info.dlpi_phnum), base_(info.dlpi_addr) {
  for (int i = 0; i < segment_count_; ++i) {
    if (segments_[i].p_type != PT_DYNAMIC) continue;
    read(reinterpret_cast<const ElfW(Dyn)*>(base_ + segments_[i].p_vaddr));
  }
}

void LoadedNames::read(const ElfW(Dyn) * entry) {
  entries_ = entry;
  for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    switch (entry->d_tag) {
      case DT_STRTAB:
        strings_ = entry;
        break;
      case DT_SYMTAB:
        symbol_table_ = entry;
        break;
      case DT_GNU_HASH:
        symbols_ = entry;
        break;
      case DT_VERDEF:
        versions_ = entry;
        break;
      case DT_VERNEED:
        needed_versions_ = entry;
        break;
      case DT_VERDEFNUM:
        version_count_ = entry->d_un.d_val;
        break;
      case DT_SONAME:
        soname_ = entry->d_un.d_val;
        break;
      case DT_RPATH:
        rpath_ = entry->d_un.d_val;
        break;
      case DT_RUNPATH:
        runpath_ = entry->d_un.d_val;
        break;
      default:
        break;
    }
  }
}

bool LoadedNames::needs(const char* library, const char** version) const {
  const char* const strings = at(strings_);
  const auto is_library = [&](std::size_t name) {
    return std::strcmp(strings + name, library) == 0;
  };
  bool found = false;
  for (const ElfW(Dyn)* entry = entries_; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    found = found || (entry->d_tag == DT_NEEDED && is_library(entry->d_un.d_val));
  }
  *version = nullptr;
  for (const char* place = found ? at(needed_versions_) : nullptr; place != nullptr;) {
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

const char* LoadedNames::name_of(std::uint32_t symbol) const {
  return at(strings_) + reinterpret_cast<const ElfW(Sym)*>(at(symbol_table_))[symbol].st_name;
}

std::uint32_t LoadedNames::index_of(const char* name, std::uint32_t hash) const {
  constexpr std::uint32_t kBits = 8 * sizeof(ElfW(Addr));
  if (symbols_ == nullptr) return 0;
  const auto* table = reinterpret_cast<const std::uint32_t*>(at(symbols_));
  const std::uint32_t words = table[2];
  if (words == 0) return 0;
  const auto* filter = reinterpret_cast<const ElfW(Addr)*>(table + 4);
  if ((filter[hash / kBits % words] >> hash % kBits & 1) == 0) return 0;
  return gnu_hash_buckets(table).find(hash, [&](std::uint32_t symbol) {
    return name == nullptr || std::strcmp(name_of(symbol), name) == 0;
  });
}

const void* LoadedNames::address_of(const char* name, std::uint32_t hash) const {
  if (strings_ == nullptr || symbol_table_ == nullptr) return nullptr;
  const std::uint32_t symbol = index_of(name, hash);
  if (symbol == 0) return nullptr;
  const auto& entry = reinterpret_cast<const ElfW(Sym)*>(at(symbol_table_))[symbol];
  return reinterpret_cast<const void*>(base_ + entry.st_value);
}

}  // namespace anycuda
