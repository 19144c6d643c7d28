// SPDX-License-Identifier: Apache-2.0
#include "compat/metadata/site_packages.h"

#include <cstring>
#include <initializer_list>

#include "compat/base/folder_entries.h"
#include "compat/base/lexical_path.h"
#include "compat/base/text.h"
#include "compat/metadata/records/conda_record.h"
#include "compat/metadata/records/dpkg_record.h"
#include "compat/metadata/records/wheel_record.h"
#include "compat/metadata/text_state.h"
#include "compat/metadata/toolkit_packages.h"

namespace anycuda {
namespace {

constexpr int kMostDistributions = 16384;
constexpr int kMostLevels = 24;
// PyTorch's has 2 MB.
constexpr std::size_t kMostOfRecord = std::size_t{64} << 20;

struct Listing {
  Arena* arena;
  Site* site;
  const Installed** last;
};

// The distribution whose record has that file name; no name for other files, and for packages
// without a part of a toolkit.
Distribution named(const Site& site, std::string_view name) {
  Distribution found;
  if (site.manager == Manager::wheel) return parse_dist_info(name);
  if (site.manager == Manager::conda) {
    found = parse_conda_name(name);
  } else {
    const bool lists = anycuda::name_of(site.folder) == "info";
    found.name = parse_dpkg_list_name(name, lists ? ".list" : ".md5sums");
  }
  const bool of_toolkit =
      !found.name.empty() && release_in(site.manager, found.name) != ReleaseIn::nothing;
  return of_toolkit ? found : Distribution{};
}

void visit_entry(const char* name, void* argument) {
  auto* listing = static_cast<Listing*>(argument);
  Site* site = listing->site;
  if (named(*site, name).name.empty()) return;
  auto* installed = static_cast<Installed*>(listing->arena->take(sizeof(Installed)));
  const char* folder = listing->arena->join(site->folder, name);
  if (installed == nullptr || folder == nullptr || site->count == kMostDistributions) {
    site->incomplete = true;
    return;
  }
  installed->site = site->folder;
  installed->folder = folder;
  installed->named = named(*site, anycuda::name_of(folder));
  *listing->last = installed;
  listing->last = &installed->next;
  ++site->count;
}

}  // namespace

const Site* Sites::at(const char* folder, Manager manager) {
  for (const Site* site = first_; site != nullptr; site = site->next) {
    if (site->manager == manager && std::strcmp(site->folder, folder) == 0) return site;
  }
  auto* site = static_cast<Site*>(arena_->take(sizeof(Site)));
  const char* kept = site != nullptr ? arena_->copy(folder) : nullptr;
  if (kept == nullptr) return nullptr;
  site->folder = kept;
  site->manager = manager;
  Listing listing{arena_, site, &site->first};
  if (!is_world_writable(folder)) each_entry(folder, "", arena_, visit_entry, &listing);
  site->next = first_;
  first_ = site;
  return site;
}

bool Sites::lists(const Installed& distribution, const char* path, bool is_folder) {
  const std::size_t mark = arena_->mark();
  const char* file = arena_->join(distribution.folder, "RECORD");
  const bool listed = file != nullptr && record_.read(file, kMostOfRecord) == TextState::read &&
                      record_lists(arena_, record_.text(), distribution.site, path, is_folder);
  arena_->rewind(mark);
  return listed;
}

void Sites::look_in(const Site& site, const char* path, bool is_folder, bool nvidia,
                    Owners* owners) {
  if (site.first == nullptr) return;
  if (owners->site == nullptr) owners->site = &site;
  if (site.incomplete) owners->problem = "too many Python packages to read";
  for (const Installed* one = site.first; one != nullptr; one = one->next) {
    if (is_of_nvidia(one->named.name) != nvidia) continue;
    const std::size_t mark = arena_->mark();
    const char* file = arena_->join(one->folder, "RECORD");
    const TextState state =
        file != nullptr ? record_.read(file, kMostOfRecord) : TextState::no_memory;
    if (state == TextState::read && owners->count < Owners::kMost &&
        record_lists(arena_, record_.text(), site.folder, path, is_folder)) {
      owners->found[owners->count++] = one;
    }
    arena_->rewind(mark);
    // Without a RECORD it was installed by other means, and owns nothing.
    if (state == TextState::read || state == TextState::missing) continue;
    const char* problem =
        arena_->format("%s/RECORD %s", one->folder, describe_state(state, record_.error()));
    owners->problem = problem != nullptr ? problem : "out of memory";
  }
  if (owners->count > 0) owners->site = &site;
}

void Sites::look_above(const char* path, bool is_folder, bool nvidia, Owners* owners) {
  std::string_view folder = folder_of(path);
  for (int level = 0; level < kMostLevels && !folder.empty() && owners->count == 0; ++level) {
    const LexicalPath above(arena_, folder);
    if (const Site* site = at(above.c_str())) look_in(*site, path, is_folder, nvidia, owners);
    folder = folder_of(folder);
  }
}

namespace {

struct Pythons {
  Arena* arena;
  const char* library_folder;
  const char* sites[8];
  int count;
};

void visit_python(const char* name, void* argument) {
  auto* pythons = static_cast<Pythons*>(argument);
  for (const char* packages : {"site-packages", "dist-packages"}) {
    const char* site = pythons->arena->format("%s/%s/%s", pythons->library_folder, name, packages);
    if (site != nullptr && pythons->count < 8) pythons->sites[pythons->count++] = site;
  }
}

}  // namespace

void Sites::look_beside(const char* path, bool is_folder, bool nvidia, Owners* owners) {
  const std::string_view folder = folder_of(path);
  if (anycuda::name_of(folder) != "bin") return;
  const LexicalPath library_folder(arena_, folder, "../lib");
  Pythons pythons{arena_, library_folder.c_str(), {}, 0};
  each_entry(library_folder.c_str(), "python", arena_, visit_python, &pythons);
  for (int i = 0; i < pythons.count && owners->count == 0; ++i) {
    if (const Site* site = at(pythons.sites[i])) look_in(*site, path, is_folder, nvidia, owners);
  }
}

Owners Sites::owners_of(const char* path, bool is_folder) {
  Owners owners = {};
  owners.problem = "";
  for (const bool nvidia : {true, false}) {
    look_above(path, is_folder, nvidia, &owners);
    if (owners.count == 0) look_beside(path, is_folder, nvidia, &owners);
    if (owners.count > 0) break;
  }
  return owners;
}

}  // namespace anycuda
