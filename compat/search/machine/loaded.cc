// SPDX-License-Identifier: Apache-2.0
#include "compat/search/machine/loaded.h"

#include <link.h>

#include "compat/search/elf/classify.h"

namespace anycuda {
namespace {

// What it is, by its names; anything but `usable`: not that library.
ImageFacts identify(const dl_phdr_info& info, const LibraryDescriptor& library) {
  ImageFacts facts;
  facts.state = FileState::other_library;
  const LoadedNames names(info);
  Classifier classifier(library);
  const char* const soname = names.soname();
  if (soname != nullptr) classifier.soname(soname);
  // A driver has no symbol versions: only a stub of its name does.
  if (library.is_driver && classifier.major() == 0) return facts;
  names.each_version_definition([&](const char* name, bool is_base) {
    if (!is_base) classifier.version_definition(name);
  });
  if (classifier.is_stub() || classifier.major() == 0) return facts;
  if (classifier.wants_needed()) {
    names.each_needed([&](const char* name) { classifier.needed(name); });
  }
  classifier.put_into(&facts);
  facts.state = FileState::usable;
  return facts;
}

struct CopyVisit {
  const LibraryDescriptor& library;
  CopyVisitor copy;
  void* argument;
};

int visit_copy(dl_phdr_info* info, std::size_t, void* argument) {
  const auto* visit = static_cast<const CopyVisit*>(argument);
  if (info->dlpi_name == nullptr || *info->dlpi_name == '\0') return 0;
  const ImageFacts image = identify(*info, visit->library);
  if (image.state == FileState::usable) visit->copy(info->dlpi_name, image, visit->argument);
  return 0;
}

struct RelativeVisit {
  const LibraryDescriptor& library;
  RelativeVisitor visit;
  void* argument;
};

int visit_relative(dl_phdr_info* info, std::size_t, void* argument) {
  const auto* visit = static_cast<const RelativeVisit*>(argument);
  if (info->dlpi_name == nullptr || *info->dlpi_name == '\0') return 0;
  for (int i = 0; i < visit->library.relative_count; ++i) {
    const Relative& relative = visit->library.relatives[i];
    const ImageFacts image = identify(*info, *relative.library);
    if (image.state != FileState::usable) continue;
    visit->visit(info->dlpi_name, image, relative, visit->argument);
    return 0;
  }
  return 0;
}

struct AddressVisit {
  ElfW(Addr) address;
  LoadedObject object;
};

int visit_address(dl_phdr_info* info, std::size_t, void* argument) {
  auto* visit = static_cast<AddressVisit*>(argument);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    const ElfW(Addr) start = info->dlpi_addr + segment.p_vaddr;
    // An address before `start` wraps round, and is far behind its end.
    if (segment.p_type != PT_LOAD || visit->address - start >= segment.p_memsz) continue;
    visit->object = {info->dlpi_name, LoadedNames(*info)};
    return 1;
  }
  return 0;
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

struct SymbolVisit {
  const char* name;
  std::uint32_t hash;
  const void* found;
};

int visit_symbols(dl_phdr_info* info, std::size_t, void* argument) {
  auto* visit = static_cast<SymbolVisit*>(argument);
  visit->found = LoadedNames(*info).address_of(visit->name, visit->hash);
  return static_cast<int>(visit->found != nullptr);
}

}  // namespace

void each_loaded_copy(const Machine& machine, const LibraryDescriptor& library, CopyVisitor copy,
                      void* argument) {
  CopyVisit visit{library, copy, argument};
  machine.loaded_objects(visit_copy, &visit);
}

void each_loaded_relative(const Machine& machine, const LibraryDescriptor& library,
                          RelativeVisitor visit, void* argument) {
  if (library.relative_count == 0) return;
  RelativeVisit visitor{library, visit, argument};
  machine.loaded_objects(visit_relative, &visitor);
}

LoadedObject object_of(const void* address) {
  AddressVisit visit{reinterpret_cast<ElfW(Addr)>(address), {}};
  if (address != nullptr) dl_iterate_phdr(visit_address, &visit);
  return visit.object;
}

const void* loaded_symbol(const char* name) {
  SymbolVisit visit{name, gnu_hash(name), nullptr};
  dl_iterate_phdr(visit_symbols, &visit);
  return visit.found;
}

void each_loaded_path(const Machine& machine, void (*visit)(const char*, void*), void* argument) {
  PathVisitor visitor{visit, argument};
  machine.loaded_objects(visit_path, &visitor);
}

}  // namespace anycuda
