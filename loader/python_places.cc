#include "loader/python_places.h"

#include <errno.h>  // program_invocation_name
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <cstring>
#include <initializer_list>

#include "loader/environment.h"
#include "loader/folder.h"
#include "loader/interpreter.h"
#include "loader/loaded.h"

namespace anycuda {
namespace {

bool is_folder(const char* path) {
  struct stat status;
  return path != nullptr && stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

// A folder like /tmp, where anybody could put an "nvidia" folder for a program below it to find.
bool anybody_writes(const char* path) {
  struct stat status;
  return stat(path, &status) != 0 || (status.st_mode & S_IWOTH) != 0;
}

// One folder that may hold wheels: site-packages, or whatever stands for it.
void gather_site(Search* search, const char* site) {
  const std::size_t mark = search->arena.mark();
  bool any = false;
  for (const char* const* folder = search->library.wheel_folders; *folder != nullptr; ++folder) {
    const char* path = search->arena.join(site, *folder);
    if (!is_folder(path)) continue;
    any = true;
    gather_folder(search, Place::environment, path);
  }
  if (!any) search->arena.rewind(mark);
}

// Every folder above `path` may be the site-packages that `path` was installed into.
void gather_above(Search* search, const char* path) {
  if (path == nullptr || *path != '/') return;
  char folder[PATH_MAX];
  if (std::strlen(path) >= sizeof folder) return;
  std::strcpy(folder, path);
  for (char* slash = std::strrchr(folder, '/'); slash != nullptr && slash != folder;
       slash = std::strrchr(folder, '/')) {
    *slash = '\0';
    if (!anybody_writes(folder)) gather_site(search, folder);
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

void gather_loaded_sites(Search* search) {
  LoadedSites loaded{&search->arena, {}, 0};
  each_loaded_path(collect_site, &loaded);
  for (int i = 0; i < loaded.count; ++i) gather_site(search, loaded.sites[i]);
}

struct PythonVisit {
  Search* search;
  const char* library_folder;  // PREFIX/lib
  const char* version;         // "python3.11", "": any
};

void visit_python(const char* name, void* argument) {
  const auto* visit = static_cast<PythonVisit*>(argument);
  Arena& arena = visit->search->arena;
  // Another Python's packages are not this one's; Debian keeps its own under "python3".
  const bool mine = *visit->version == '\0' || std::strcmp(name, visit->version) == 0 ||
                    std::strcmp(name, "python3") == 0;
  for (const char* packages : {"site-packages", "dist-packages"}) {
    const char* site =
        mine ? arena.format("%s/%s/%s", visit->library_folder, name, packages) : nullptr;
    if (site != nullptr) gather_site(visit->search, site);
  }
}

// PREFIX/lib/python3.x/site-packages of an installation or a virtual environment.
void gather_prefix(Search* search, const char* prefix, const char* version) {
  if (prefix == nullptr || *prefix != '/') return;
  for (const char* folder : {"lib", "lib64"}) {
    PythonVisit visit{search, search->arena.join(prefix, folder), version};
    if (visit.library_folder == nullptr) return;
    each_entry(visit.library_folder, "python", visit_python, &visit);
  }
}

void gather_python_path(Search* search) {
  const char* entry = environment_variable("PYTHONPATH");
  while (entry != nullptr && *entry != '\0') {
    const std::size_t length = std::strcspn(entry, ":");
    const char* site = search->arena.format("%.*s", static_cast<int>(length), entry);
    if (site != nullptr && *site == '/') gather_site(search, site);
    entry += length;
    if (*entry == ':') ++entry;
  }
}

void gather_conda(Search* search) {
  const char* prefix = environment_variable("CONDA_PREFIX");
  if (prefix == nullptr) return;
  for (const char* folder : {"lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"}) {
    gather_folder(search, Place::environment, search->arena.join(prefix, folder));
  }
  gather_prefix(search, prefix, "");
}

// The packages of the environment in use: the one that is named, else the one that the interpreter
// was called from; unless it is closed, also those of the installation and of the user.
void gather_interpreter(Search* search, const Interpreter& python) {
  Arena& arena = search->arena;
  const char* active = environment_variable("VIRTUAL_ENV");
  const char* prefix = active != nullptr ? active : python.prefix;
  gather_prefix(search, prefix, python.version);
  if (python.base_prefix == nullptr || is_isolated(prefix, &arena)) return;
  if (prefix != python.prefix) gather_prefix(search, python.prefix, python.version);
  const bool base = prefix != nullptr && std::strcmp(prefix, python.base_prefix) == 0;
  if (!base) gather_prefix(search, python.base_prefix, python.version);
  // A distribution's Python keeps what its administrator installs apart from its own packages.
  if (std::strcmp(python.base_prefix, "/usr") == 0) {
    gather_prefix(search, "/usr/local", python.version);
  }
  const char* home = environment_variable("HOME");
  if (home != nullptr) gather_prefix(search, arena.join(home, ".local"), python.version);
}

// The file of the object that holds `address`. The main program is known by the name it was called
// by, which may be relative to a folder that it has left.
const char* file_of(const void* address, const Interpreter& program) {
  const char* path = object_path(address);
  return path == nullptr || *path == '/' ? path : program.executable;
}

}  // namespace

void gather_python_places(Search* search, const void* caller) {
  if (getauxval(AT_SECURE) != 0) return;  // a privileged program's environment is the system alone
  const Interpreter program = this_interpreter(&search->arena);
  gather_above(search, file_of(caller, program));
  gather_above(search, object_path(reinterpret_cast<const void*>(&kLibrary)));
  gather_loaded_sites(search);
  gather_python_path(search);
  gather_conda(search);
  gather_interpreter(search, program);
}

}  // namespace anycuda
