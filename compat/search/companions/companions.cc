// SPDX-License-Identifier: Apache-2.0
#include "compat/search/companions/companions.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "compat/base/folder_entries.h"
#include "compat/base/lexical_path.h"
#include "compat/base/text.h"
#include "compat/base/text_file.h"
#include "compat/descriptor/toolkit_libraries.h"
#include "compat/search/elf/elf_reader.h"
#include "compat/search/machine/ld_cache.h"
#include "compat/search/machine/library_path.h"
#include "compat/search/machine/linker_tokens.h"
#include "compat/search/machine/loaded.h"

namespace anycuda {
namespace {

constexpr int kMostNeeded = 12;  // cuSOLVER needs four

// The needs of a file that are NVIDIA's.
struct Needs {
  const char* names[kMostNeeded];
  int count = 0;
  const char* run_path = "";
  bool is_rpath = false;
};

void read_needs(const char* path, Arena* arena, Needs* needs) {
  int file;
  struct stat status;
  int error;
  if (open_regular(path, &file, &status, &error) != TextState::read) return;
  ElfReader image(file, static_cast<std::size_t>(status.st_size), *arena);
  if (image.open() == FileState::usable && image.read_dynamic() == FileState::usable) {
    image.each_needed([&](const char* name) {
      if (is_companion(name) && needs->count < kMostNeeded) needs->names[needs->count++] = name;
    });
    needs->run_path = image.run_path(&needs->is_rpath);
  }
  close(file);
}

// The first folder that has a file of that name.
struct Look {
  Arena* arena;
  const char* name;
  const char* path = nullptr;

  bool in(const char* folder) {
    path = arena->join(folder, name);
    return path != nullptr && is_entry(path);
  }
};

// In the order in which the dynamic linker reads it.
bool look_in_run_path(const char* run_path, std::string_view origin, Look* look) {
  while (*run_path != '\0') {
    const std::size_t length = std::strcspn(run_path, ":");
    const char* folder = expand_linker_tokens({run_path, length}, origin, look->arena);
    if (folder != nullptr && *folder == '/' && look->in(folder)) return true;
    run_path += run_path[length] == ':' ? length + 1 : length;
  }
  return false;
}

// Beside the file, or in the wheels of the same site.
bool look_in_environment(std::string_view folder, Look* look) {
  const char* const own = look->arena->copy(folder);
  if (own != nullptr && look->in(own)) return true;
  const int library = toolkit_library_of(look->name);
  const char* const wheel = library >= 0 ? toolkit_file(library, 0).wheel_folder : nullptr;
  const char* const rest = std::strstr(own != nullptr ? own : "", "/nvidia/");
  if (wheel == nullptr || rest == nullptr) return false;
  const char* const site = look->arena->copy({own, static_cast<std::size_t>(rest - own)});
  return site != nullptr && look->in(look->arena->join(site, wheel));
}

bool note_folder(const char*, bool, void* found) {
  *static_cast<bool*>(found) = true;
  return false;
}

// ---- files that are opened by their names

void note_entry(const char*, void* found) { *static_cast<bool*>(found) = true; }

struct PrefixLook {
  const char* prefix;
  Arena* arena;
  const char* other_than;  // a folder
  bool found;
};

bool is_same(const char* path, const char* other) {
  struct stat one;
  struct stat two;
  return stat(path, &one) == 0 && stat(other, &two) == 0 && one.st_ino == two.st_ino &&
         one.st_dev == two.st_dev;
}

bool look_for_prefix(const char* folder, bool, void* argument) {
  auto* look = static_cast<PrefixLook*>(argument);
  if (look->other_than != nullptr && is_same(folder, look->other_than)) return true;
  each_entry(folder, look->prefix, look->arena, note_entry, &look->found);
  return !look->found;
}

struct Parts {
  Companions* companions;
  const char* folder;
  const char* ending;  // ".so.9"
  const Machine& machine;
  Arena& arena;
};

void open_part(const char* name, void* argument) {
  const auto& parts = *static_cast<const Parts*>(argument);
  const char* const ending = std::strstr(name, ".so");
  if (ending == nullptr || std::strcmp(ending, parts.ending) != 0) return;
  const std::size_t mark = parts.arena.mark();
  const char* const path = parts.arena.join(parts.folder, name);
  if (path != nullptr) {
    parts.companions->open_needed(path);
    parts.machine.open(path, kOpenFlags | RTLD_NODELETE);
  }
  parts.arena.rewind(mark);
}

// ---- what the process has

struct SonameVisit {
  const char* soname;
  bool found;
};

bool has_soname(const LoadedObject& object, void* argument) {
  auto* visit = static_cast<SonameVisit*>(argument);
  const char* const soname = object.names.own_names().soname;
  visit->found = soname != nullptr && std::strcmp(soname, visit->soname) == 0;
  return visit->found;
}

bool is_in_process(const Machine& machine, const char* soname) {
  SonameVisit visit{soname, false};
  each_object(machine, has_soname, &visit);
  return visit.found;
}

}  // namespace

const char* missing_companion(const Machine& machine, const LibraryDescriptor& library,
                              const char* path, Version release, bool is_exact, Arena* arena) {
  if (library.opens == nullptr) return nullptr;
  const char* const name =
      is_exact ? arena->format("%s.%d.%d", library.opens, release.major, release.minor)
               : arena->format("%s.%d", library.opens, release.major);
  const std::size_t mark = arena->mark();
  PrefixLook look{name, arena, nullptr, name == nullptr};
  for (int i = 0; i < 2 && !look.found; ++i) {
    const char* const file = i == 0 ? path : real_path(path, arena);
    const char* const folder = file != nullptr ? arena->copy(folder_of(file)) : nullptr;
    if (folder != nullptr) look_for_prefix(folder, false, &look);
  }
  if (!look.found) each_library_path_folder(machine, nullptr, arena, look_for_prefix, &look);
  if (!look.found) each_cached_library(machine.root(), name, arena, note_entry, &look.found);
  arena->rewind(mark);
  return look.found ? nullptr : name;
}

Companions::~Companions() {
  while (count_ > 0) dlclose(handles_[--count_]);
}

void Companions::need(const char* path, const char* run_path, bool is_rpath, const char* name,
                      int depth) {
  const std::string_view origin = folder_of(path);
  Look own{&arena_, name};
  const bool by_run_path = look_in_run_path(run_path, origin, &own);
  if (by_run_path && (is_rpath || !has_library_path_)) return;  // the dynamic linker's own find
  if (!by_run_path && !look_in_environment(origin, &own)) return;
  if (count_ == kMost || is_in_process(machine_, name)) return;
  if (depth > 1) open_needed(own.path, depth - 1);
  if (count_ == kMost) return;
  if (void* const handle = machine_.open(own.path, kOpenFlags).handle) handles_[count_++] = handle;
}

void Companions::open_parts(const LibraryDescriptor& library, const char* path) {
  if (library.parts == nullptr) return;
  const std::size_t mark = arena_.mark();
  const char* const folder = arena_.copy(folder_of(path));
  const char* const ending = std::strstr(library.majors[0].soname, ".so");
  PrefixLook look{library.parts, &arena_, folder, false};
  if (folder != nullptr) {
    each_library_path_folder(machine_, nullptr, &arena_, look_for_prefix, &look);
  }
  Parts parts{this, folder, ending, machine_, arena_};
  if (look.found) each_entry(folder, library.parts, &arena_, open_part, &parts);
  arena_.rewind(mark);
}

void Companions::open_needed(const char* path) {
  each_library_path_folder(machine_, nullptr, &arena_, note_folder, &has_library_path_);
  open_needed(path, kMostDepth);
}

void Companions::open_needed(const char* path, int depth) {
  const std::size_t mark = arena_.mark();
  Needs needs;
  read_needs(path, &arena_, &needs);
  for (int i = 0; i < needs.count; ++i) {
    need(path, needs.run_path, needs.is_rpath, needs.names[i], depth);
  }
  arena_.rewind(mark);
}

}  // namespace anycuda
