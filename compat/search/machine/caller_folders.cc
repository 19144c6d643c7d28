// SPDX-License-Identifier: Apache-2.0
#include "compat/search/machine/caller_folders.h"

#include <dlfcn.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include <cstring>
#include <initializer_list>

#include "compat/base/folder_entries.h"
#include "compat/base/lexical_path.h"
#include "compat/base/shortage.h"
#include "compat/search/machine/linker_tokens.h"
#include "compat/search/machine/loaded.h"

namespace anycuda {
namespace {

bool is_packages(std::string_view folder) {
  const std::string_view name = name_of(folder);
  if (name.size() != std::strlen("site-packages")) return false;  // nearly all
  return name == "site-packages" || name == "dist-packages";
}

bool is_in_packages(std::string_view folder) {
  for (; !folder.empty() && folder != "/"; folder = folder_of(folder)) {
    if (is_packages(folder)) return true;
  }
  return false;
}

// The object's file, as for the dynamic linker's $ORIGIN: for the main program the file that runs,
// even if it was called by a link; for a library that was loaded by a relative name the folder
// where it was found then.
const char* file_of(const LoadedObject& object, const Interpreter& program, Arena* arena) {
  const char* name = object.name;
  if (name == nullptr || *name == '/') return name;
  if (*name == '\0') return program.executable;
  void* const handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
  const Scratch origin(arena);
  const bool known = handle != nullptr && origin.text() != nullptr &&
                     dlinfo(handle, RTLD_DI_ORIGIN, origin.text()) == 0;
  if (handle != nullptr) dlclose(handle);
  if (!known) return nullptr;
  const std::string_view file = name_of(name);
  return arena->format("%s/%.*s", origin.text(), static_cast<int>(file.size()), file.data());
}

bool visit_above(const char* file, bool of_caller, Arena* arena, CallerFolderVisitor visit,
                 void* argument) {
  if (file == nullptr || *file != '/') return true;
  const LexicalPath path(arena, file);
  std::string_view folder = folder_of(path.text());
  const std::string_view prefix = of_caller ? folder_of(folder) : "";
  bool guessed = false;
  bool in_packages = is_in_packages(folder);
  for (; !folder.empty() && folder != "/"; folder = folder_of(folder)) {
    const char* name = arena->copy(folder);
    if (name != nullptr && !visit({name, guessed, file, folder == prefix}, argument)) return false;
    if (is_packages(folder)) in_packages = is_in_packages(folder_of(folder));
    guessed = !in_packages;
  }
  return true;
}

// The virtual environment in whose bin is a link by which the program was started
// (tests/setups/test_venv_programs.py). A program that was started by its own name costs no file
// access.
bool visit_link(const Interpreter& program, Arena* arena, CallerFolderVisitor visit,
                void* argument) {
  const auto* started = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  if (program.executable == nullptr || started == nullptr) return true;
  if (std::strcmp(started, program.executable) == 0) return true;
  const char* here = *started == '/' ? "/" : current_folder(arena);
  if (here == nullptr) return true;
  const LexicalPath link(arena, here, started);
  const std::string_view prefix = folder_of(folder_of(link.text()));
  if (link.text() == program.executable || prefix.empty()) return true;
  const char* folder = arena->copy(prefix);
  const char* config = folder != nullptr ? arena->join(folder, "pyvenv.cfg") : nullptr;
  struct stat status;
  if (config == nullptr || noted(stat(config, &status)) != 0) return true;
  // The current folder may be another than at the start.
  const char* real = real_path(link.c_str(), arena);
  if (real == nullptr || std::strcmp(real, program.executable) != 0) return true;
  return visit({folder, true, program.executable, true}, argument);
}

// The distinct site-packages folders of what is loaded. Collected first and looked into later: the
// loader's lock is held while its list is walked, and must not be held across reading a disk.
struct LoadedSites {
  Arena* arena;
  const char* sites[32];
  int count;
};

void collect_site(const char* path, void* argument) {
  auto* loaded = static_cast<LoadedSites*>(argument);
  for (const char* name : {"/site-packages/", "/dist-packages/"}) {
    const char* found = std::strstr(path, name);
    if (found == nullptr) continue;
    const auto length = static_cast<int>(found - path + std::strlen(name) - 1);
    const char* site = loaded->arena->format("%.*s", length, path);
    bool known = site == nullptr || loaded->count == 32;
    for (int i = 0; !known && i < loaded->count; ++i) {
      known = std::strcmp(loaded->sites[i], site) == 0;
    }
    if (!known) loaded->sites[loaded->count++] = site;
  }
}

}  // namespace

const char* own_file(const Interpreter& program, Arena* arena) {
  return file_of(object_of(reinterpret_cast<const void*>(&own_file)), program, arena);
}

void each_caller_folder(const Interpreter& program, const void* caller, Arena* arena,
                        CallerFolderVisitor visit, void* argument) {
  const LoadedObject own = object_of(reinterpret_cast<const void*>(&each_caller_folder));
  const LoadedObject callers = object_of(caller);
  if (!visit_above(file_of(callers, program, arena), true, arena, visit, argument)) return;
  const bool is_program = callers.name != nullptr && *callers.name == '\0';
  if (is_program && !program.is_interpreter() && !visit_link(program, arena, visit, argument)) {
    return;
  }
  if (own.name != callers.name)
    visit_above(file_of(own, program, arena), false, arena, visit, argument);
}

void each_loaded_site(const Machine& machine, Arena* arena, bool (*visit)(const char*, void*),
                      void* argument) {
  LoadedSites loaded{arena, {}, 0};
  each_loaded_path(machine, collect_site, &loaded);
  for (int i = 0; i < loaded.count; ++i) {
    if (is_folder(loaded.sites[i]) && !visit(loaded.sites[i], argument)) return;
  }
}

void each_run_path_folder(const Interpreter& program, const void* caller, RunPath which,
                          Arena* arena, bool (*visit)(const char*, void*), void* argument) {
  const LoadedObject object = object_of(caller);
  const char* entry = object.names.run_path(which == RunPath::rpath);
  if (entry == nullptr) return;
  const std::string_view origin = origin_of(file_of(object, program, arena));
  while (entry != nullptr && *entry != '\0') {
    const std::size_t length = std::strcspn(entry, ":");
    const char* path = expand_linker_tokens({entry, length}, origin, arena);
    if (path != nullptr && *path == '/' && !visit(path, argument)) return;
    entry += length;
    if (*entry == ':') ++entry;
  }
}

}  // namespace anycuda
