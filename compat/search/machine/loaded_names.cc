#include "compat/search/machine/loaded_names.h"

#include <elf.h>

namespace anycuda {
namespace {

// glibc relocates the addresses in a loaded object's dynamic section in place, but not where it may
// not write: the vdso has those that it was linked with, which are very large in gVisor's.
const char* absolute(const dl_phdr_info& info, ElfW(Addr) address) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info.dlpi_phdr[i];
    const ElfW(Addr) start = info.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && address - start < segment.p_memsz) {
      return reinterpret_cast<const char*>(address);
    }
  }
  return reinterpret_cast<const char*>(address + info.dlpi_addr);
}

}  // namespace

LoadedNames::LoadedNames(const dl_phdr_info& info) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    if (info.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    read(reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr), info);
  }
}

void LoadedNames::read(const ElfW(Dyn) * entry, const dl_phdr_info& info) {
  for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    switch (entry->d_tag) {
      case DT_STRTAB:
        strings_ = absolute(info, entry->d_un.d_ptr);
        break;
      case DT_GNU_HASH:
        symbols_ = absolute(info, entry->d_un.d_ptr);
        break;
      case DT_VERDEF:
        versions_ = absolute(info, entry->d_un.d_ptr);
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

// The table: numbers of buckets, of the first symbol in it, of the filter's words, a shift; the
// filter; a bucket has the number of its first symbol; the hashes of the symbols, whose lowest bit
// ends a bucket.
bool LoadedNames::defines(std::uint32_t hash) const {
  constexpr std::uint32_t kBits = 8 * sizeof(ElfW(Addr));
  if (symbols_ == nullptr) return false;
  const auto* table = reinterpret_cast<const std::uint32_t*>(symbols_);
  const std::uint32_t buckets = table[0], first = table[1], words = table[2];
  if (buckets == 0 || words == 0) return false;
  const auto* filter = reinterpret_cast<const ElfW(Addr)*>(table + 4);
  if ((filter[hash / kBits % words] >> hash % kBits & 1) == 0) return false;
  const auto* heads = reinterpret_cast<const std::uint32_t*>(filter + words);
  const std::uint32_t* hashes = heads + buckets;
  for (std::uint32_t i = heads[hash % buckets]; i >= first; ++i) {
    if (((hashes[i - first] ^ hash) | 1) == 1) return true;
    if ((hashes[i - first] & 1) != 0) return false;
  }
  return false;
}

}  // namespace anycuda
