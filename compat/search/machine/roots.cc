#include "compat/search/machine/roots.h"

#include <cstring>
#include <initializer_list>

#include "compat/base/dotted_order.h"
#include "compat/base/folder_entries.h"
#include "compat/search/machine/ld_cache.h"
#include "compat/search/machine/python_folders.h"

namespace anycuda {
namespace {

struct Walk {
  const Machine& machine;
  const RootQuery& query;
  Arena* arena;
  RootVisitor visit;
  void* argument;

  void root(RootKind kind, const char* path) const {
    if (path != nullptr) visit({kind, path}, argument);
  }
};

void visit_site(const char* path, void* walk) {
  static_cast<const Walk*>(walk)->root(RootKind::site_packages, path);
}

void visit_cached(const char* path, void* walk) {
  static_cast<const Walk*>(walk)->root(RootKind::cached_file, path);
}

void library_path(const Walk& walk) {
  const char* entry = walk.machine.variable("LD_LIBRARY_PATH");
  while (entry != nullptr && *entry != '\0') {
    const std::size_t length = std::strcspn(entry, ":;");
    const char* end = entry + length;
    // Relative and empty entries mean the current directory, and a '$' one is ld.so's own.
    if (*entry == '/' && std::memchr(entry, '$', length) == nullptr) {
      walk.root(RootKind::folder, walk.arena->format("%.*s", static_cast<int>(length), entry));
    }
    entry = *end != '\0' ? end + 1 : nullptr;
  }
}

void environment(Walk* walk) {
  each_site(walk->machine, walk->arena, walk->query.caller, visit_site, walk);
  const char* conda = walk->machine.variable("CONDA_PREFIX");
  if (conda != nullptr && *conda == '/' && is_folder(conda)) walk->root(RootKind::conda, conda);
}

void toolkit_variables(const Walk& walk) {
  for (const char* name : {"CUDA_PATH", "CUDA_HOME"}) {
    walk.root(RootKind::toolkit, walk.machine.variable(name));
  }
}

constexpr char kDigits[] = "0123456789";

// A list in the order of visits.
struct Installed {
  const char* name;
  Installed* next;
};
struct Installation {
  Arena* arena;
  Installed* first;
};

// The administrator's choice ("cuda") first, then the newest of "cuda-12.9" and "cuda-12.10".
bool goes_before(const char* a, const char* b) {
  const bool chosen_a = std::strcmp(a, "cuda") == 0;
  const bool chosen_b = std::strcmp(b, "cuda") == 0;
  if (chosen_a || chosen_b) return chosen_a;
  const int order = compare_dotted(a + std::strcspn(a, kDigits), b + std::strcspn(b, kDigits));
  return (order != 0 ? order : std::strcmp(a, b)) > 0;
}

void insert_toolkit(const char* name, void* argument) {
  auto* installation = static_cast<Installation*>(argument);
  const char* copy = installation->arena->copy(name);
  auto* entry = static_cast<Installed*>(installation->arena->take(sizeof(Installed)));
  if (copy == nullptr || entry == nullptr) return;
  Installed** place = &installation->first;
  while (*place != nullptr && goes_before((*place)->name, copy)) place = &(*place)->next;
  *entry = {copy, *place};
  *place = entry;
}

void system_toolkits(const Walk& walk) {
  const char* local = walk.arena->join(walk.machine.root(), "usr/local");
  Installation installation{walk.arena, nullptr};
  if (local != nullptr) each_entry(local, "cuda", insert_toolkit, &installation);
  for (const Installed* one = installation.first; one != nullptr; one = one->next) {
    walk.root(RootKind::toolkit, walk.arena->join(local, one->name));
  }
  walk.root(RootKind::toolkit, walk.arena->join(walk.machine.root(), "opt/cuda"));
}

void system(Walk* walk) {
  const char* root = walk->machine.root();
  const bool dynamic = walk->query.file_prefix != nullptr;
  if (dynamic) each_cached_library(root, walk->query.file_prefix, walk->arena, visit_cached, walk);
  if (dynamic) walk->root(RootKind::system, root);
  if (!walk->query.from_driver) system_toolkits(*walk);
  if (!dynamic) walk->root(RootKind::system, root);
}

}  // namespace

void each_root(const Machine& machine, const RootQuery& query, SearchTier tier, Arena* arena,
               RootVisitor visit, void* argument) {
  Walk walk{machine, query, arena, visit, argument};
  switch (tier) {
    case SearchTier::variable:
    case SearchTier::loaded:
      return;
    case SearchTier::library_path:
      return library_path(walk);
    case SearchTier::environment:
      if (!query.from_driver) environment(&walk);
      return;
    case SearchTier::toolkit:
      if (!query.from_driver) toolkit_variables(walk);
      return;
    case SearchTier::system:
      return system(&walk);
  }
}

}  // namespace anycuda
