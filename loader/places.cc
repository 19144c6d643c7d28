#include "loader/places.h"

#include <cstring>
#include <initializer_list>

#include "loader/environment.h"
#include "loader/folder.h"
#include "loader/identity.h"
#include "loader/ld_cache.h"
#include "loader/python_places.h"

namespace anycuda {
namespace {

#if defined(__x86_64__)
constexpr char kTarget[] = "targets/x86_64-linux/lib";
constexpr char kMultiarch[] = "usr/lib/x86_64-linux-gnu";
#else
constexpr char kTarget[] = "targets/sbsa-linux/lib";
constexpr char kMultiarch[] = "usr/lib/aarch64-linux-gnu";
#endif

void gather_variable(Search* search) {
  const char* file = environment_variable(search->library.variable);
  if (file == nullptr) return;
  if (*file == '/') {
    gather_file(search, Place::variable, file);
    return;
  }
  // dlopen would look for a plain name in places of its own, not where it would be examined.
  Candidate* refused = search->add(Place::variable, file);
  if (refused != nullptr) refused->image.state = FileState::not_absolute;
}

void gather_library_path(Search* search) {
  const char* entry = environment_variable("LD_LIBRARY_PATH");
  while (entry != nullptr && *entry != '\0') {
    const std::size_t length = std::strcspn(entry, ":;");
    const char* end = entry + length;
    // Relative and empty entries mean the current directory, and a '$' one is ld.so's own.
    if (*entry == '/' && std::memchr(entry, '$', length) == nullptr) {
      gather_folder(search, Place::library_path,
                    search->arena.format("%.*s", static_cast<int>(length), entry));
    }
    entry = *end != '\0' ? end + 1 : nullptr;
  }
}

void gather_toolkit_root(Search* search, Place place, const char* root) {
  gather_folder(search, place, search->arena.join(root, "lib64"));
  gather_folder(search, place, search->arena.join(root, kTarget));
}

void gather_toolkit(Search* search) {
  for (const char* name : {"CUDA_PATH", "CUDA_HOME"}) {
    const char* root = environment_variable(name);
    if (root == nullptr) continue;
    gather_toolkit_root(search, Place::toolkit, root);
    gather_folder(search, Place::toolkit, search->arena.join(root, "lib"));
  }
}

void visit_installed_toolkit(const char* name, void* argument) {
  auto* search = static_cast<Search*>(argument);
  const char* root = search->arena.format("%s/usr/local/%s", system_root(), name);
  if (root != nullptr) gather_toolkit_root(search, Place::system, root);
}

void visit_cached_file(const char* path, void* argument) {
  auto* search = static_cast<Search*>(argument);
  // The driver has one name, here as in folders (folder.cc).
  const bool other =
      search->library.is_driver && !is_soname(search->library, std::strrchr(path, '/') + 1);
  if (!other) gather_file(search, Place::system, path);
}

void gather_system(Search* search) {
  const char* root = system_root();
  each_cached_library(root, search->library.file_prefix, &search->arena, visit_cached_file, search);
  const char* const shared[] = {kMultiarch, "usr/lib64", "usr/lib"};
  // Where a host puts its driver into a guest or a container: before what the distribution has.
  const char* const driver[] = {"usr/lib/wsl/lib", "usr/local/nvidia/lib64", "usr/local/nvidia/lib",
                                "run/opengl-driver/lib"};
  for (const char* folder : driver) {
    if (search->library.is_driver) {
      gather_folder(search, Place::system, search->arena.join(root, folder));
    }
  }
  for (const char* folder : shared) {
    gather_folder(search, Place::system, search->arena.join(root, folder));
  }
  if (search->library.is_driver) return;
  const char* local = search->arena.join(root, "usr/local");
  if (local != nullptr) each_entry(local, "cuda", visit_installed_toolkit, search);
  gather_toolkit_root(search, Place::system, search->arena.join(root, "opt/cuda"));
}

}  // namespace

void gather_place(Search* search, Place place, const void* caller) {
  const bool driver = search->library.is_driver;
  switch (place) {
    case Place::variable:
      return gather_variable(search);
    case Place::loaded:
      return;  // gathered already: what is loaded matters for every place (search.cc)
    case Place::library_path:
      return gather_library_path(search);
    case Place::environment:
      if (!driver) gather_python_places(search, caller);
      return;
    case Place::toolkit:
      if (!driver) gather_toolkit(search);
      return;
    case Place::system:
      return gather_system(search);
  }
}

}  // namespace anycuda
