// SPDX-License-Identifier: Apache-2.0
#include "compat/search/gather.h"

#include <cstring>
#include <initializer_list>

#include "compat/base/folder_entries.h"
#include "compat/base/lexical_path.h"
#include "compat/base/text.h"
#include "compat/search/elf/classify.h"
#include "compat/search/evaluation.h"
#include "compat/search/folder.h"
#include "compat/search/machine/caller_folders.h"
#include "compat/search/machine/linker_tokens.h"
#include "compat/search/machine/loaded.h"
#include "compat/search/machine/roots.h"
#include "compat/search/machine/system_folders.h"
#include "compat/search/machine/trust.h"

namespace anycuda {
namespace {

struct TierVisit {
  Search* search;
  SearchTier tier;
  EnvironmentEnd ends;
  bool ended = false;

  void folder(const char* root, const char* below) const {
    // Most searches for the driver look in more than a dozen folders, and find it in none of them.
    const bool asks_first = search->library().is_driver && !search->logs_steps;
    if (asks_first && !has_driver(search->library(), root, below, &search->arena)) {
      ++search->summary(tier).folders;
      return;
    }
    const std::size_t mark = search->arena.mark();
    const char* const path = search->arena.join(root, below);
    if (!search->logs_steps && !search->is_new_folder(path)) {
      ++search->summary(tier).folders;
      search->arena.rewind(mark);
      return;
    }
    const Candidate* before = search->last;
    const int left_out = search->summary(tier).left_out;
    gather_folder(search, tier, path);
    // Releases the memory: a system may have tens of thousands of folders that are named like
    // toolkits.
    const bool nothing = search->last == before && search->summary(tier).left_out == left_out;
    if (nothing) search->arena.rewind(mark);
  }
  // Ends the environment before, if there is one.
  void begin() {
    if (search->environment_begun) ended = ends(search);
    ++search->environment;
    search->environment_begun = true;
    search->before_environment = search->last;
  }
};

void gather_variable(Search* search) {
  const char* file = search->machine.variable(search->library().variable);
  if (file == nullptr) return;
  // The path as dlopen() would expand it is examined and opened.
  const char* expanded = file;
  if (has_linker_tokens(file)) {
    const char* own = own_file(search->program(), &search->arena);
    expanded = expand_linker_tokens(file, origin_of(own), &search->arena);
  }
  if (expanded != nullptr && *expanded == '/') {
    gather_file(search, SearchTier::variable, expanded);
    return;
  }
  // dlopen would search its own places for a plain name, not where the file would be examined.
  Candidate* refused = search->add(SearchTier::variable, file);
  if (refused != nullptr) refused->image.state = FileState::not_absolute;
}

// In a guessed folder (/home above /home/me/program), any user with write permission could put an
// "nvidia" folder for a program to find.
void refuse_others_files(const TierVisit& visit, const Root& root, const char* below,
                         const char* folder) {
  const bool folders_are_trusted =
      only_trusted_can_write(root.path, below, root.owner, &visit.search->arena);
  for (Candidate* c = visit.search->environment_begin(); c != nullptr; c = c->next) {
    if (c->environment != visit.search->environment || !is_below(c->path, folder)) continue;
    if (folders_are_trusted && only_trusted_can_write(c->path, root.owner)) continue;
    c->image.state = FileState::not_trusted;
    c->inode = 0;  // where something else leads to it, it is another candidate
  }
}

void in_site_packages(const TierVisit& visit, const Root& root) {
  Search& search = *visit.search;
  std::string_view missing;  // NVIDIA's wheels share a folder, which most sites do not have
  for (const char* const* folder = search.library().wheel_folders; *folder != nullptr; ++folder) {
    const std::string_view top = text::first(*folder, text::find(*folder, "/") + 1);
    if (!top.empty() && top == missing) continue;
    const std::size_t mark = search.arena.mark();
    const char* const shared = folder[1] != nullptr ? search.arena.copy(top) : nullptr;
    if (shared != nullptr && !is_folder(search.arena.join(root.path, shared))) {
      missing = top;
      search.arena.rewind(mark);
      continue;
    }
    const char* path = search.arena.join(root.path, *folder);
    if (path == nullptr || !is_folder(path)) {
      search.arena.rewind(mark);
      continue;
    }
    gather_folder(&search, visit.tier, path);
    if (root.guessed) refuse_others_files(visit, root, *folder, path);
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
  const bool driver = visit.search->library().is_driver;
  const auto look_in = [&](auto& folders) {
    for (const auto& folder : folders) visit.folder(root, folder);
  };
  if (driver) look_in(kHostsDriver);
  look_in(kShared);
  if (driver) look_in(kOtherDriver);
}

void cached(const TierVisit& visit, const char* path) {
  // The driver has one name, here as in folders (folder.cc).
  const LibraryDescriptor& library = visit.search->library();
  const bool other = library.is_driver && !is_soname(library, std::strrchr(path, '/') + 1);
  if (other) return;
  Candidate* candidate = gather_file(visit.search, visit.tier, path);
  if (candidate == nullptr || candidate->image.state != FileState::missing) return;
  candidate->listed_only = !is_entry(path);
}

void gather_copy(const LoadedCopy& copy, void* argument) {
  auto* search = static_cast<Search*>(argument);
  if (copy.image != nullptr) {
    Candidate* candidate = search->add(SearchTier::loaded, copy.path);
    if (candidate != nullptr) candidate->image = *copy.image;
  }
  note_relation(search, copy);
}

bool visit_root(const Root& root, void* argument) {
  auto& visit = *static_cast<TierVisit*>(argument);
  if (root.begins) visit.begin();
  if (visit.ended) return false;
  switch (root.kind) {
    case RootKind::folder:
      gather_folder(visit.search, visit.tier, root.path);
      break;
    case RootKind::site_packages:
      in_site_packages(visit, root);
      break;
    case RootKind::conda:
      in_conda(visit, root.path);
      break;
    case RootKind::toolkit:
      in_toolkit(visit, root.path);
      break;
    case RootKind::system:
      in_system(visit, root.path);
      break;
    case RootKind::cached_file:
      cached(visit, root.path);
      break;
  }
  return true;
}

bool never(Search*) { return false; }

}  // namespace

const Interpreter& Search::program() {
  if (!interpreter_known_) interpreter_ = machine.interpreter(&arena);
  interpreter_known_ = true;
  return interpreter_;
}

bool gather_tier(Search* search, SearchTier tier, EnvironmentEnd ends) {
  TierVisit visit{search, tier, ends != nullptr ? ends : never};
  search->environment_begun = false;
  visit.begin();
  if (tier == SearchTier::variable) {
    gather_variable(search);
  } else if (tier == SearchTier::loaded) {
    search->before_environment = nullptr;  // gather_loaded() has put them first
    for (Candidate* c = search->first; c != nullptr; c = c->next) {
      if (c->tier == tier) c->environment = search->environment;
    }
  } else {
    const LibraryDescriptor& library = search->library();
    const Interpreter* program = library.is_driver ? nullptr : &search->program();
    const RootQuery query{program, search->request.caller, library.file_prefix, library.is_driver};
    each_root(search->machine, query, tier, &search->arena, visit_root, &visit);
  }
  return visit.ended || visit.ends(search);
}

void gather_loaded(Search* search) {
  search->loads = each_loaded_copy(search->machine, search->library(), gather_copy, search);
}

}  // namespace anycuda
