// SPDX-License-Identifier: Apache-2.0

// Points the CUDA calls of every library in this process at the stub or at the runtime behind it,
// by exchanging the addresses that the dynamic linker has written into their tables of imports.
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace {

using Address = std::uintptr_t;

struct Slot {
  std::string library;
  std::string function;
  std::atomic<Address>* place;
  Address stub;
  Address runtime;
};

std::vector<Slot> g_slots;

struct Search {
  void* stub;
  void* runtime;
  const char* version;
  Address stub_begin;  // where the stub's file is mapped
  Address stub_end;
};

Address address_of(void* library, const char* name, const char* version) {
  return reinterpret_cast<Address>(dlvsym(library, name, version));
}

struct Imports {
  const ElfW(Sym) * symbols;
  const char* strings;
  const ElfW(Rela) * relocations;
  std::size_t count;
};

void look_through(const char* library, Address base, const Imports& imports, const Search& search) {
  for (std::size_t i = 0; i < imports.count; ++i) {
    const ElfW(Rela)& relocation = imports.relocations[i];
    const auto type = ELF64_R_TYPE(relocation.r_info);
    if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT && type != R_X86_64_64) continue;
    auto* place = reinterpret_cast<std::atomic<Address>*>(base + relocation.r_offset);
    const Address now = place->load();
    if (now < search.stub_begin || now >= search.stub_end) continue;
    const char* name = imports.strings + imports.symbols[ELF64_R_SYM(relocation.r_info)].st_name;
    const Address runtime = address_of(search.runtime, name, search.version);
    if (runtime == 0 || address_of(search.stub, name, search.version) != now) continue;
    g_slots.push_back({library, name, place, now, runtime});
  }
}

int find_end(dl_phdr_info* object, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  if (object->dlpi_addr != search.stub_begin) return 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    const Address end = object->dlpi_addr + part.p_vaddr + part.p_memsz;
    if (part.p_type == PT_LOAD && end > search.stub_end) search.stub_end = end;
  }
  return 1;
}

int look_into(dl_phdr_info* object, std::size_t, void* data) {
  const auto& search = *static_cast<const Search*>(data);
  const Address base = object->dlpi_addr;
  if (base == search.stub_begin) return 0;  // its own slots stay
  Imports procedures = {};
  Imports others = {};
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    if (object->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(base + object->dlpi_phdr[i].p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      const Address value = entry->d_un.d_ptr;
      const auto* relocations = reinterpret_cast<const ElfW(Rela)*>(value);
      if (entry->d_tag == DT_SYMTAB) {
        procedures.symbols = others.symbols = reinterpret_cast<const ElfW(Sym)*>(value);
      } else if (entry->d_tag == DT_STRTAB) {
        procedures.strings = others.strings = reinterpret_cast<const char*>(value);
      } else if (entry->d_tag == DT_JMPREL) {
        procedures.relocations = relocations;
      } else if (entry->d_tag == DT_PLTRELSZ) {
        procedures.count = value / sizeof(ElfW(Rela));
      } else if (entry->d_tag == DT_RELA) {
        others.relocations = relocations;
      } else if (entry->d_tag == DT_RELASZ) {
        others.count = value / sizeof(ElfW(Rela));
      }
    }
  }
  for (const Imports& imports : {procedures, others}) {
    look_through(object->dlpi_name, base, imports, search);
  }
  return 0;
}

}  // namespace

extern "C" {

// Finds all imports that lead to the stub and that the runtime exports too. `stub` and `runtime`
// are handles of dlopen, `version` is the symbol version of the callers. How many there are.
int slots_find(void* stub, void* runtime, const char* version) {
  Dl_info info = {};
  if (dladdr(dlvsym(stub, "cudaLaunchKernel", version), &info) == 0) return 0;
  Search search = {stub, runtime, version, reinterpret_cast<Address>(info.dli_fbase), 0};
  g_slots.clear();
  dl_iterate_phdr(find_end, &search);
  dl_iterate_phdr(look_into, &search);
  const Address page = static_cast<Address>(sysconf(_SC_PAGESIZE));
  for (const Slot& slot : g_slots) {
    void* start = reinterpret_cast<void*>(reinterpret_cast<Address>(slot.place) & ~(page - 1));
    if (mprotect(start, page, PROT_READ | PROT_WRITE) != 0) return -errno;
  }
  return static_cast<int>(g_slots.size());
}

void slots_point_at_stub(int stub) {
  for (const Slot& slot : g_slots) *slot.place = stub != 0 ? slot.stub : slot.runtime;
}

// The file that a library's calls of a function go to now; empty if it does not import it. The
// library is named by the end of its path. The answer is the dynamic linker's.
const char* slots_lead_to(const char* library, const char* function) {
  const std::size_t length = std::strlen(library);
  for (const Slot& slot : g_slots) {
    if (slot.function != function || slot.library.size() < length) continue;
    if (slot.library.compare(slot.library.size() - length, length, library) != 0) continue;
    Dl_info info = {};
    return dladdr(reinterpret_cast<void*>(slot.place->load()), &info) != 0 ? info.dli_fname : "";
  }
  return "";
}
}
