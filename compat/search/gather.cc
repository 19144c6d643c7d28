#include "compat/search/gather.h"

#include <unistd.h>

#include <cstring>
#include <initializer_list>

#include "compat/base/folder_entries.h"
#include "compat/search/elf/classify.h"
#include "compat/search/folder.h"
#include "compat/search/machine/loaded.h"
#include "compat/search/machine/roots.h"

namespace anycuda {
namespace {

#if defined(__x86_64__)
constexpr char kTarget[] = "targets/x86_64-linux/lib";
constexpr char kMultiarch[] = "usr/lib/x86_64-linux-gnu";
#else
constexpr char kTarget[] = "targets/sbsa-linux/lib";
constexpr char kMultiarch[] = "usr/lib/aarch64-linux-gnu";
#endif

struct TierVisit {
  Search* search;
  SearchTier tier;

  void folder(const char* root, const char* below) const {
    gather_folder(search, tier, search->arena.join(root, below));
  }
};

void gather_variable(Search* search) {
  const char* file = search->machine.variable(search->library().variable);
  if (file == nullptr) return;
  if (*file == '/') {
    gather_file(search, SearchTier::variable, file);
    return;
  }
  // dlopen would search its own places for a plain name, not where the file would be examined.
  Candidate* refused = search->add(SearchTier::variable, file);
  if (refused != nullptr) refused->image.state = FileState::not_absolute;
}

void in_site_packages(const TierVisit& visit, const char* site) {
  Search& search = *visit.search;
  for (const char* const* folder = search.library().wheel_folders; *folder != nullptr; ++folder) {
    const std::size_t mark = search.arena.mark();
    const char* path = search.arena.join(site, *folder);
    if (path != nullptr && access(path, F_OK) == 0) {
      gather_folder(&search, visit.tier, path);
    } else {
      search.arena.rewind(mark);
    }
  }
}

// A conda prefix is laid out like a toolkit, without lib64, and may have packages for another CPU.
void in_conda(const TierVisit& visit, const char* prefix) {
  for (const char* folder : {"", "targets/x86_64-linux", "targets/sbsa-linux"}) {
    const char* root = *folder == '\0' ? prefix : visit.search->arena.join(prefix, folder);
    if (root != nullptr && is_folder(root)) visit.folder(root, "lib");
  }
}

void in_toolkit(const TierVisit& visit, const char* root) {
  visit.folder(root, "lib64");
  visit.folder(root, kTarget);
  // A distribution's /usr/local/cuda has its libraries in the first two.
  if (visit.tier != SearchTier::system) visit.folder(root, "lib");
}

void in_system(const TierVisit& visit, const char* root) {
  // Where a host puts its driver into a guest or a container: before what the distribution has.
  const char* const driver[] = {"usr/lib/wsl/lib", "usr/local/nvidia/lib64", "usr/local/nvidia/lib",
                                "run/opengl-driver/lib"};
  const char* const shared[] = {kMultiarch, "usr/lib64", "usr/lib"};
  for (const char* folder : driver) {
    if (visit.search->library().is_driver) visit.folder(root, folder);
  }
  for (const char* folder : shared) visit.folder(root, folder);
}

void cached(const TierVisit& visit, const char* path) {
  // The driver has one name, here as in folders (folder.cc).
  const LibraryDescriptor& library = visit.search->library();
  const bool other = library.is_driver && !is_soname(library, std::strrchr(path, '/') + 1);
  if (!other) gather_file(visit.search, visit.tier, path);
}

void gather_copy(const char* path, int major, void* argument) {
  Candidate* candidate = static_cast<Search*>(argument)->add(SearchTier::loaded, path);
  if (candidate == nullptr) return;
  candidate->image.state = FileState::usable;
  candidate->image.version.major = major;
}

void visit_root(const Root& root, void* argument) {
  const auto& visit = *static_cast<const TierVisit*>(argument);
  switch (root.kind) {
    case RootKind::folder:
      return gather_folder(visit.search, visit.tier, root.path);
    case RootKind::site_packages:
      return in_site_packages(visit, root.path);
    case RootKind::conda:
      return in_conda(visit, root.path);
    case RootKind::toolkit:
      return in_toolkit(visit, root.path);
    case RootKind::system:
      return in_system(visit, root.path);
    case RootKind::cached_file:
      return cached(visit, root.path);
  }
}

}  // namespace

void gather_tier(Search* search, SearchTier tier) {
  if (tier == SearchTier::variable) return gather_variable(search);
  const LibraryDescriptor& library = search->library();
  const RootQuery query{search->request.caller, library.file_prefix, library.is_driver};
  TierVisit visit{search, tier};
  each_root(search->machine, query, tier, &search->arena, visit_root, &visit);
}

void gather_loaded(Search* search) {
  each_loaded_copy(search->machine, search->library(), gather_copy, search);
}

}  // namespace anycuda
