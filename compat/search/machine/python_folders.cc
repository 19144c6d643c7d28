#include "compat/search/machine/python_folders.h"

#include <unistd.h>

#include <climits>
#include <cstring>
#include <initializer_list>

#include "compat/base/folder_entries.h"
#include "compat/search/machine/loaded.h"

namespace anycuda {
namespace {

// Where the folders go that are found, and the memory for their names.
struct Visit {
  const Machine& machine;
  Arena* arena;
  PathVisitor site;
  void* argument;
};

void visit_site(const Visit& visit, const char* site) {
  if (site != nullptr && is_folder(site)) visit.site(site, visit.argument);
}

// Every folder above `path` may be the site-packages that `path` was installed into.
void above(const Visit& visit, const char* path) {
  if (path == nullptr || *path != '/') return;
  char folder[PATH_MAX];
  if (std::strlen(path) >= sizeof folder) return;
  std::strcpy(folder, path);
  for (char* slash = std::strrchr(folder, '/'); slash != nullptr && slash != folder;
       slash = std::strrchr(folder, '/')) {
    *slash = '\0';
    // In a folder like /tmp anybody could put an "nvidia" folder for a program below it to find.
    if (!is_world_writable(folder)) visit_site(visit, folder);
  }
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

void loaded_sites(const Visit& visit) {
  LoadedSites loaded{visit.arena, {}, 0};
  each_loaded_path(visit.machine, collect_site, &loaded);
  for (int i = 0; i < loaded.count; ++i) visit_site(visit, loaded.sites[i]);
}

struct PythonVisit {
  const Visit* visit;
  const char* library_folder;  // PREFIX/lib
  const char* version;         // "python3.11", "": any
};

void visit_python(const char* name, void* argument) {
  const auto* python = static_cast<PythonVisit*>(argument);
  Arena& arena = *python->visit->arena;
  // Another Python's packages are not this one's; Debian keeps its own under "python3".
  const bool mine = *python->version == '\0' || std::strcmp(name, python->version) == 0 ||
                    std::strcmp(name, "python3") == 0;
  for (const char* packages : {"site-packages", "dist-packages"}) {
    const char* site =
        mine ? arena.format("%s/%s/%s", python->library_folder, name, packages) : nullptr;
    visit_site(*python->visit, site);
  }
}

// PREFIX/lib/python3.x/site-packages of an installation or a virtual environment.
void in_prefix(const Visit& visit, const char* prefix, const char* version) {
  if (prefix == nullptr || *prefix != '/') return;
  for (const char* folder : {"lib", "lib64"}) {
    PythonVisit python{&visit, visit.arena->join(prefix, folder), version};
    if (python.library_folder == nullptr) return;
    each_entry(python.library_folder, "python", visit_python, &python);
  }
}

void python_path(const Visit& visit) {
  const char* entry = visit.machine.variable("PYTHONPATH");
  while (entry != nullptr && *entry != '\0') {
    const std::size_t length = std::strcspn(entry, ":");
    const char* site = visit.arena->format("%.*s", static_cast<int>(length), entry);
    if (site != nullptr && *site == '/') visit_site(visit, site);
    entry += length;
    if (*entry == ':') ++entry;
  }
}

// The packages of the environment in use: the one that is named, else the one that the interpreter
// was called from; unless it is closed, also those of the installation and of the user.
void interpreters_own(const Visit& visit, const Interpreter& python) {
  Arena& arena = *visit.arena;
  const char* active = visit.machine.variable("VIRTUAL_ENV");
  const char* prefix = active != nullptr ? active : python.prefix;
  in_prefix(visit, prefix, python.version);
  if (python.base_prefix == nullptr || is_isolated(prefix, &arena)) return;
  if (prefix != python.prefix) in_prefix(visit, python.prefix, python.version);
  const bool base = prefix != nullptr && std::strcmp(prefix, python.base_prefix) == 0;
  if (!base) in_prefix(visit, python.base_prefix, python.version);
  // A distribution's Python keeps what its administrator installs apart from its own packages.
  if (std::strcmp(python.base_prefix, "/usr") == 0) {
    in_prefix(visit, "/usr/local", python.version);
  }
  const char* home = visit.machine.variable("HOME");
  if (home != nullptr) in_prefix(visit, arena.join(home, ".local"), python.version);
}

// The file of the object that holds `address`. The main program is known by the name it was called
// by, which may be relative to a folder that it has left.
const char* file_of(const void* address, const Interpreter& program) {
  const char* path = object_path(address);
  return path == nullptr || *path == '/' ? path : program.executable;
}

}  // namespace

void each_site(const Machine& machine, Arena* arena, const void* caller, PathVisitor site,
               void* argument) {
  if (machine.privileged()) return;
  const Visit visit{machine, arena, site, argument};
  const Interpreter program = machine.interpreter(arena);
  above(visit, file_of(caller, program));
  above(visit, object_path(reinterpret_cast<const void*>(&each_site)));
  loaded_sites(visit);
  python_path(visit);
  if (const char* conda = machine.variable("CONDA_PREFIX")) in_prefix(visit, conda, "");
  interpreters_own(visit, program);
}

bool is_python(const Machine& machine, Arena* arena) {
  const std::size_t mark = arena->mark();
  const bool found = machine.interpreter(arena).base_prefix != nullptr;
  arena->rewind(mark);
  return found;
}

}  // namespace anycuda
