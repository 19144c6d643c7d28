#include "compat/search/tier_folders.h"

#include <unistd.h>

#include <cstring>
#include <initializer_list>

#include "compat/base/environment.h"
#include "compat/base/folder_entries.h"
#include "compat/search/elf/classify.h"
#include "compat/search/folder.h"
#include "compat/search/ld_cache.h"

namespace anycuda {
namespace {

#if defined(__x86_64__)
constexpr char kTarget[] = "targets/x86_64-linux/lib";
constexpr char kMultiarch[] = "usr/lib/x86_64-linux-gnu";
#else
constexpr char kTarget[] = "targets/sbsa-linux/lib";
constexpr char kMultiarch[] = "usr/lib/aarch64-linux-gnu";
#endif

struct RootVisit {
  Search* search;
  SearchTier tier;
};

void gather_variable(Search* search) {
  const char* file = environment_variable(search->library().variable);
  if (file == nullptr) return;
  if (*file == '/') {
    gather_file(search, SearchTier::variable, file);
    return;
  }
  // dlopen would look for a plain name in places of its own, not where it would be examined.
  Candidate* refused = search->add(SearchTier::variable, file);
  if (refused != nullptr) refused->image.state = FileState::not_absolute;
}

void gather_library_path(Search* search) {
  const char* entry = environment_variable("LD_LIBRARY_PATH");
  while (entry != nullptr && *entry != '\0') {
    const std::size_t length = std::strcspn(entry, ":;");
    const char* end = entry + length;
    // Relative and empty entries mean the current directory, and a '$' one is ld.so's own.
    if (*entry == '/' && std::memchr(entry, '$', length) == nullptr) {
      gather_folder(search, SearchTier::library_path,
                    search->arena.format("%.*s", static_cast<int>(length), entry));
    }
    entry = *end != '\0' ? end + 1 : nullptr;
  }
}

void gather_root(const char* root, void* argument) {
  const auto* visit = static_cast<RootVisit*>(argument);
  for (const char* folder : {"lib64", kTarget, "lib"}) {
    // A distribution's /usr/local/cuda has its libraries in the first two.
    if (visit->tier == SearchTier::system && std::strcmp(folder, "lib") == 0) continue;
    gather_folder(visit->search, visit->tier, visit->search->arena.join(root, folder));
  }
}

// The wheels of one folder that may be site-packages.
void gather_site(const char* site, void* argument) {
  auto* search = static_cast<Search*>(argument);
  for (const char* const* folder = search->library().wheel_folders; *folder != nullptr; ++folder) {
    const std::size_t mark = search->arena.mark();
    const char* path = search->arena.join(site, *folder);
    if (path != nullptr && access(path, F_OK) == 0) {
      gather_folder(search, SearchTier::environment, path);
    } else {
      search->arena.rewind(mark);
    }
  }
}

void gather_conda_folder(const char* root, void* argument) {
  auto* search = static_cast<Search*>(argument);
  gather_folder(search, SearchTier::environment, search->arena.join(root, "lib"));
}

struct LocalVisit {
  Arena* arena;
  PathVisitor root;
  void* argument;
};

void visit_installed_toolkit(const char* name, void* argument) {
  const auto* visit = static_cast<LocalVisit*>(argument);
  const char* root = visit->arena->format("%s/usr/local/%s", system_root(), name);
  if (root != nullptr) visit->root(root, visit->argument);
}

void visit_cached_file(const char* path, void* argument) {
  auto* search = static_cast<Search*>(argument);
  // The driver has one name, here as in folders (folder.cc).
  const bool other =
      search->library().is_driver && !is_soname(search->library(), std::strrchr(path, '/') + 1);
  if (!other) gather_file(search, SearchTier::system, path);
}

void gather_system(Search* search) {
  const char* root = system_root();
  each_cached_library(root, search->library().file_prefix, &search->arena, visit_cached_file,
                      search);
  const char* const shared[] = {kMultiarch, "usr/lib64", "usr/lib"};
  // Where a host puts its driver into a guest or a container: before what the distribution has.
  const char* const driver[] = {"usr/lib/wsl/lib", "usr/local/nvidia/lib64", "usr/local/nvidia/lib",
                                "run/opengl-driver/lib"};
  for (const char* folder : driver) {
    if (search->library().is_driver) {
      gather_folder(search, SearchTier::system, search->arena.join(root, folder));
    }
  }
  for (const char* folder : shared) {
    gather_folder(search, SearchTier::system, search->arena.join(root, folder));
  }
  if (search->library().is_driver) return;
  RootVisit visit{search, SearchTier::system};
  each_system_root(&search->arena, gather_root, &visit);
}

}  // namespace

void each_variable_root(PathVisitor root, void* argument) {
  for (const char* name : {"CUDA_PATH", "CUDA_HOME"}) {
    if (const char* value = environment_variable(name)) root(value, argument);
  }
}

void each_system_root(Arena* arena, PathVisitor root, void* argument) {
  const char* local = arena->join(system_root(), "usr/local");
  LocalVisit visit{arena, root, argument};
  if (local != nullptr) each_entry(local, "cuda", visit_installed_toolkit, &visit);
  if (const char* optional = arena->join(system_root(), "opt/cuda")) root(optional, argument);
}

void gather_tier(Search* search, SearchTier tier) {
  const bool driver = search->library().is_driver;
  RootVisit variables{search, SearchTier::toolkit};
  switch (tier) {
    case SearchTier::variable:
      return gather_variable(search);
    case SearchTier::loaded:
      return;  // gathered already: what is loaded matters for every tier (search.cc)
    case SearchTier::library_path:
      return gather_library_path(search);
    case SearchTier::environment:
      if (driver) return;
      each_site(&search->arena, search->request.caller, gather_site, search);
      return each_conda_folder(&search->arena, gather_conda_folder, search);
    case SearchTier::toolkit:
      if (driver) return;
      return each_variable_root(gather_root, &variables);
    case SearchTier::system:
      return gather_system(search);
  }
}

}  // namespace anycuda
