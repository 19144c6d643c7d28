// SPDX-License-Identifier: Apache-2.0
#include "compat/search/machine/loaded.h"

#include <link.h>

#include <atomic>
#include <cstring>

#include "compat/search/elf/classify.h"

namespace anycuda {
namespace {

// Of the dozens of versions that libc defines, the first ends the look at them.
bool is_version_of_libc(const char* version) {
  for (const char* letter = "GLIBC_"; *letter != '\0'; ++letter) {
    if (*version++ != *letter) return false;
  }
  return true;
}

// Is it that library, by its names? Where it is, *facts tells the release.
bool identify(const LoadedNames& object, const LoadedNames::OwnNames& names,
              const LibraryDescriptor& library, ImageFacts* facts) {
  Classifier classifier(library);
  if (names.soname != nullptr) classifier.soname(names.soname);
  // A driver has no symbol versions: only a stub of its name does.
  if (library.is_driver && classifier.major() == 0) return false;
  names.each_version([&](const char* name, bool is_base) {
    if (!is_base) classifier.version_definition(name);
    return !classifier.is_stub() && !is_version_of_libc(name);
  });
  if (classifier.is_stub() || classifier.major() == 0) return false;
  if (classifier.wants_needed()) {
    object.each_needed([&](const char* name) { classifier.needed(name); });
  }
  *facts = ImageFacts();
  classifier.put_into(facts);
  facts->state = FileState::usable;
  return true;
}

struct CopyVisit {
  const LibraryDescriptor& library;
  void (*visit)(const LoadedCopy&, void*);
  void* argument;
  // Of the object that is being visited.
  ImageFacts image;
  ImageFacts peer;
  ImageFacts relative;
};

bool visit_copy(const LoadedObject& object, void* argument) {
  auto* visit = static_cast<CopyVisit*>(argument);
  if (object.name == nullptr || *object.name == '\0') return false;
  const LibraryDescriptor& library = visit->library;
  const LoadedNames::OwnNames names = object.names.own_names();
  LoadedCopy copy{object.name, nullptr, nullptr, nullptr, nullptr};
  if (identify(object.names, names, library, &visit->image)) copy.image = &visit->image;
  if (library.peer != nullptr && identify(object.names, names, *library.peer, &visit->peer)) {
    copy.peer = &visit->peer;
  }
  for (int i = 0; i < library.relative_count && copy.relative == nullptr; ++i) {
    if (!identify(object.names, names, *library.relatives[i].library, &visit->relative)) continue;
    copy.relative = &library.relatives[i];
    copy.image_of_relative = &visit->relative;
  }
  if (copy.image != nullptr || copy.peer != nullptr || copy.relative != nullptr) {
    visit->visit(copy, visit->argument);
  }
  return false;
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

bool visit_path(const LoadedObject& object, void* argument) {
  const auto* visitor = static_cast<const PathVisitor*>(argument);
  if (object.name != nullptr && *object.name == '/') visitor->visit(object.name, visitor->argument);
  return false;
}

struct SymbolVisit {
  const char* name;
  std::uint32_t hash;
  const void* found;
  std::size_t size;
};

bool visit_symbols(const LoadedObject& object, void* argument) {
  auto* visit = static_cast<SymbolVisit*>(argument);
  visit->found = object.names.address_of(visit->name, visit->hash, &visit->size);
  return visit->found != nullptr;
}

struct Walk {
  bool (*visit)(const LoadedObject&, void*);
  void* argument;
  std::uint64_t visited;  // without the lock
  std::uint64_t skipped;  // since they were visited
  std::uint64_t loads;
};

int visit_under_lock(dl_phdr_info* info, std::size_t, void* argument) {
  auto* walk = static_cast<Walk*>(argument);
  walk->loads = info->dlpi_adds;
  if (walk->skipped++ < walk->visited) return 0;
  return static_cast<int>(walk->visit({info->dlpi_name, LoadedNames(*info)}, walk->argument));
}

}  // namespace

std::uint64_t each_object(const Machine& machine, bool (*visit)(const LoadedObject&, void*),
                          void* argument) {
  Walk walk{visit, argument, 0, 0, 0};
  const StartObjects start = machine.start_objects();
  const link_map* next = start.first;
  for (bool at_end = next == nullptr; !at_end;) {
    const link_map& object = *next;
    ++walk.visited;
    next = next_object(object);
    at_end = &object == start.last;
    const bool is_last_visit =
        !is_vdso(object) && visit({object.l_name, LoadedNames(object)}, argument);
    if (is_last_visit || next == nullptr) return walk.visited;
  }
  machine.loaded_objects(visit_under_lock, &walk);
  return walk.loads;
}

std::uint64_t each_loaded_copy(const Machine& machine, const LibraryDescriptor& library,
                               void (*visit)(const LoadedCopy&, void*), void* argument) {
  CopyVisit visitor{library, visit, argument, {}, {}, {}};
  return each_object(machine, visit_copy, &visitor);
}

namespace {

// struct dl_find_object of glibc 2.35, for an older one's headers.
struct FoundObject {
  unsigned long long flags;
  void* map_start;
  void* map_end;
  link_map* object;
  void* eh_frame;
  unsigned long long reserved[7];
};
using FindObject = int (*)(void* address, FoundObject* result);
int find_nothing(void*, FoundObject*) { return -1; }

// By glibc's _dl_find_object(), which takes no lock. It is looked up, and not linked: a stub that
// is built here may run with an older glibc. nullptr: none, or it is being loaded or unloaded.
const link_map* object_at(const void* address) {
  static std::atomic<FindObject> kept{nullptr};
  FindObject find = kept.load(std::memory_order_relaxed);
  if (find == nullptr) {
    const void* const symbol = loaded_symbol("_dl_find_object");
    find =
        symbol != nullptr ? reinterpret_cast<FindObject>(const_cast<void*>(symbol)) : find_nothing;
    kept.store(find, std::memory_order_relaxed);
  }
  FoundObject found;
  return find(const_cast<void*>(address), &found) == 0 ? found.object : nullptr;
}

}  // namespace

LoadedObject object_of(const void* address) {
  AddressVisit visit{reinterpret_cast<ElfW(Addr)>(address), {}};
  if (const link_map* object = object_at(address)) return {object->l_name, LoadedNames(*object)};
  if (address != nullptr) dl_iterate_phdr(visit_address, &visit);
  return visit.object;
}

const void* loaded_symbol(const char* name, std::size_t* size) {
  SymbolVisit visit{name, gnu_hash(name), nullptr, 0};
  each_object(Machine(), visit_symbols, &visit);
  if (size != nullptr) *size = visit.size;
  return visit.found;
}

void each_loaded_path(const Machine& machine, void (*visit)(const char*, void*), void* argument) {
  PathVisitor visitor{visit, argument};
  each_object(machine, visit_path, &visitor);
}

}  // namespace anycuda
