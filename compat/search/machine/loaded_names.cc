#include "compat/search/machine/loaded_names.h"

#include <elf.h>

namespace anycuda {
namespace {

// glibc relocates the addresses in a loaded object's dynamic section in place; the comparison is
// for objects (the vdso) where it does not.
const char* absolute(ElfW(Addr) base, ElfW(Addr) address) {
  return reinterpret_cast<const char*>(address < base ? address + base : address);
}

}  // namespace

LoadedNames::LoadedNames(const dl_phdr_info& info) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    if (info.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    read(reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr),
         info.dlpi_addr);
  }
}

void LoadedNames::read(const ElfW(Dyn) * entry, ElfW(Addr) base) {
  for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_STRTAB) strings_ = absolute(base, entry->d_un.d_ptr);
    if (entry->d_tag == DT_VERDEF) versions_ = absolute(base, entry->d_un.d_ptr);
    if (entry->d_tag == DT_VERDEFNUM) version_count_ = entry->d_un.d_val;
    if (entry->d_tag == DT_SONAME) soname_ = entry->d_un.d_val;
    if (entry->d_tag == DT_RPATH) rpath_ = entry->d_un.d_val;
    if (entry->d_tag == DT_RUNPATH) runpath_ = entry->d_un.d_val;
  }
}

}  // namespace anycuda
