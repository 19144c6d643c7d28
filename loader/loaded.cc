#include "loader/loaded.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cstring>

#include "loader/identity.h"

namespace anycuda {
namespace {

// The dynamic section of a loaded object. glibc relocates its addresses in place; the comparison
// covers objects (the vdso) where it does not.
struct LoadedDynamic {
  const char* strings = nullptr;
  const char* versions = nullptr;
  std::size_t soname = 0;
  std::size_t version_count = 0;
};

const char* absolute(const dl_phdr_info& info, ElfW(Addr) address) {
  return reinterpret_cast<const char*>(address < info.dlpi_addr ? address + info.dlpi_addr
                                                                : address);
}

LoadedDynamic read_dynamic(const dl_phdr_info& info) {
  LoadedDynamic found;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    if (info.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const auto* entry =
        reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == DT_STRTAB) found.strings = absolute(info, entry->d_un.d_ptr);
      if (entry->d_tag == DT_VERDEF) found.versions = absolute(info, entry->d_un.d_ptr);
      if (entry->d_tag == DT_VERDEFNUM) found.version_count = entry->d_un.d_val;
      if (entry->d_tag == DT_SONAME) found.soname = entry->d_un.d_val;
    }
  }
  return found;
}

int identify(const dl_phdr_info& info, const LibraryDescriptor& library) {
  const LoadedDynamic dynamic = read_dynamic(info);
  if (dynamic.strings == nullptr) return 0;
  Identity identity(library);
  if (dynamic.soname != 0) identity.soname(dynamic.strings + dynamic.soname);
  const char* place = dynamic.versions;
  for (std::size_t i = 0; place != nullptr && i < dynamic.version_count; ++i) {
    const auto* definition = reinterpret_cast<const ElfW(Verdef)*>(place);
    const auto* name = reinterpret_cast<const ElfW(Verdaux)*>(place + definition->vd_aux);
    if ((definition->vd_flags & VER_FLG_BASE) == 0) {
      identity.version_definition(dynamic.strings + name->vda_name);
    }
    place = definition->vd_next != 0 ? place + definition->vd_next : nullptr;
  }
  return identity.is_stub() ? 0 : identity.major();
}

struct CopyVisit {
  const LibraryDescriptor& library;
  CopyVisitor copy;
  void* argument;
};

int visit_copy(dl_phdr_info* info, std::size_t, void* argument) {
  const auto* visit = static_cast<const CopyVisit*>(argument);
  if (info->dlpi_name == nullptr || *info->dlpi_name == '\0') return 0;
  const int major = identify(*info, visit->library);
  if (major != 0) visit->copy(info->dlpi_name, major, visit->argument);
  return 0;
}

void gather_copy(const char* path, int major, void* argument) {
  Candidate* candidate = static_cast<Search*>(argument)->add(Place::loaded, path);
  if (candidate == nullptr) return;
  candidate->image.state = FileState::usable;
  candidate->image.version.major = major;
}

int read_load_count(dl_phdr_info* info, std::size_t, void* argument) {
  *static_cast<std::uint64_t*>(argument) = info->dlpi_adds;
  return 1;  // the number is the same in every object's record: the first will do
}

struct PathVisitor {
  void (*visit)(const char*, void*);
  void* argument;
};

int visit_path(dl_phdr_info* info, std::size_t, void* argument) {
  const auto* visitor = static_cast<const PathVisitor*>(argument);
  if (info->dlpi_name != nullptr && *info->dlpi_name == '/') {
    visitor->visit(info->dlpi_name, visitor->argument);
  }
  return 0;
}

}  // namespace

std::uint64_t load_count() {
  std::uint64_t count = 0;
  dl_iterate_phdr(read_load_count, &count);
  return count;
}

void each_loaded_copy(const LibraryDescriptor& library, CopyVisitor copy, void* argument) {
  CopyVisit visit{library, copy, argument};
  dl_iterate_phdr(visit_copy, &visit);
}

void gather_loaded(Search* search) { each_loaded_copy(search->library, gather_copy, search); }

const char* object_path(const void* address) {
  Dl_info info;
  if (address == nullptr || dladdr(address, &info) == 0) return nullptr;
  return info.dli_fname;
}

void each_loaded_path(void (*visit)(const char*, void*), void* argument) {
  PathVisitor visitor{visit, argument};
  dl_iterate_phdr(visit_path, &visitor);
}

}  // namespace anycuda
