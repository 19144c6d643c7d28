// SPDX-License-Identifier: Apache-2.0
#include "compat/search/gather.h"

#include <cstring>
#include <initializer_list>

#include "compat/base/folder_entries.h"
#include "compat/base/lexical_path.h"
#include "compat/base/text.h"
#include "compat/search/elf/classify.h"
#include "compat/search/folder.h"
#include "compat/search/machine/caller_folders.h"
#include "compat/search/machine/linker_tokens.h"
#include "compat/search/machine/roots.h"
#include "compat/search/machine/system_folders.h"
#include "compat/search/machine/trust.h"

namespace anycuda {
namespace {

struct TierVisit {
  Gathered* gathered;
  SearchTier tier;
  EnvironmentEnd end;
  bool begun = false;
  bool ended = false;

  const LibraryDescriptor& library() const { return gathered->library(); }
  Arena& arena() const { return gathered->arena; }

  void folder(const char* root, const char* below) const {
    TierSummary& summary = gathered->summary(tier);
    // Most searches for the driver look in more than a dozen folders, and find it in none of them.
    const bool asks_first = library().is_driver && !gathered->logs_steps;
    if (asks_first && !has_driver(*gathered, root, below)) {
      ++summary.folders;
      return;
    }
    const std::size_t mark = arena().mark();
    const char* const path = arena().join(root, below);
    if (!gathered->logs_steps && !gathered->is_new_folder(path)) {
      ++summary.folders;
      arena().rewind(mark);
      return;
    }
    const Candidate* const before = gathered->last;
    const int left_out = summary.left_out;
    gather_folder(gathered, tier, path);
    // Releases the memory: a system may have tens of thousands of folders that are named like
    // toolkits.
    if (gathered->last == before && summary.left_out == left_out) arena().rewind(mark);
  }
  // Ends the environment before, if there is one.
  void begin() {
    if (begun) ended = end.ends(end.argument);
    begun = true;
    gathered->begin_environment();
  }
};

void gather_variable(Gathered* gathered) {
  const char* file = gathered->machine.variable(gathered->library().variable);
  if (file == nullptr) return;
  // The path as dlopen() would expand it is examined and opened.
  const char* expanded = file;
  if (has_linker_tokens(file)) {
    const char* own = own_file(gathered->program(), &gathered->arena);
    expanded = expand_linker_tokens(file, origin_of(own), &gathered->arena);
  }
  if (expanded != nullptr && *expanded == '/') {
    gather_file(gathered, SearchTier::variable, expanded);
    return;
  }
  // dlopen would search its own places for a plain name, not where the file would be examined.
  Candidate* refused = gathered->add(SearchTier::variable, file);
  if (refused != nullptr) refused->image.state = FileState::not_absolute;
}

// In a guessed folder (/home above /home/me/program), any user with write permission could put an
// "nvidia" folder for a program to find.
void refuse_others_files(const TierVisit& visit, const Root& root, const char* below,
                         const char* folder) {
  const uid_t owner = owner_of(root.file);
  const bool folders_are_trusted = only_trusted_can_write(root.path, below, owner, &visit.arena());
  for (Candidate* c = visit.gathered->first_here(); c != nullptr; c = c->next) {
    if (!is_below(c->path, folder)) continue;
    if (folders_are_trusted && only_trusted_can_write(c->path, owner)) continue;
    c->image.state = FileState::not_trusted;
    c->inode = 0;  // where something else leads to it, it is another candidate
  }
}

void in_site_packages(const TierVisit& visit, const Root& root) {
  Arena& arena = visit.arena();
  std::string_view shared;  // NVIDIA's wheels share a folder, which most sites do not have
  bool has_shared = true;
  for (const char* const* folder = visit.library().wheel_folders; *folder != nullptr; ++folder) {
    const std::size_t mark = arena.mark();
    const auto is_there = [&](const char* path) {
      return visit.gathered->absent.find(path, is_folder);
    };
    const std::string_view top = text::first(*folder, text::find(*folder, "/") + 1);
    if (!top.empty() && top != shared && folder[1] != nullptr) {
      shared = top;
      has_shared = is_there(arena.join(root.path, arena.copy(top)));
    }
    const char* const path = arena.join(root.path, *folder);
    if ((top == shared && !has_shared) || !is_there(path)) {
      arena.rewind(mark);
      continue;
    }
    gather_folder(visit.gathered, visit.tier, path);
    if (root.guessed) refuse_others_files(visit, root, *folder, path);
  }
}

// A conda prefix is laid out like a toolkit, without lib64, and may have packages for another CPU.
void in_conda(const TierVisit& visit, const Root& prefix) {
  for (const char* folder : {"lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"}) {
    const char* const path = visit.arena().join(prefix.path, folder);
    if (path == nullptr || !is_folder(path)) continue;
    visit.folder(prefix.path, folder);
    if (prefix.guessed) refuse_others_files(visit, prefix, folder, path);
  }
}

void in_toolkit(const TierVisit& visit, const char* root) {
  visit.folder(root, "lib64");
  visit.folder(root, kTarget);
  // A distribution's /usr/local/cuda has its libraries in the first two.
  if (visit.tier != SearchTier::system) visit.folder(root, "lib");
}

void in_system(const TierVisit& visit, const char* root) {
  const bool driver = visit.library().is_driver;
  const auto look_in = [&](auto& folders) {
    for (const auto& folder : folders) visit.folder(root, folder);
  };
  if (driver) look_in(kHostsDriver);
  look_in(kShared);
  if (driver) look_in(kOtherDriver);
}

void cached(const TierVisit& visit, const char* path) {
  // The driver has one name, here as in folders (folder.cc).
  const LibraryDescriptor& library = visit.library();
  const bool other = library.is_driver && !is_soname(library, std::strrchr(path, '/') + 1);
  if (other) return;
  Candidate* candidate = gather_file(visit.gathered, visit.tier, path);
  if (candidate == nullptr || candidate->image.state != FileState::missing) return;
  candidate->listed_only = !is_entry(path);
}

bool visit_root(const Root& root, void* argument) {
  auto& visit = *static_cast<TierVisit*>(argument);
  if (root.begins) visit.begin();
  if (visit.ended) return false;
  switch (root.kind) {
    case RootKind::folder:
      gather_folder(visit.gathered, visit.tier, root.path);
      break;
    case RootKind::site_packages:
      in_site_packages(visit, root);
      break;
    case RootKind::conda:
      in_conda(visit, root);
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

}  // namespace

bool gather_tier(Gathered* gathered, SearchTier tier, EnvironmentEnd end) {
  TierVisit visit{gathered, tier, end};
  visit.begin();
  if (tier == SearchTier::variable) {
    gather_variable(gathered);
  } else if (tier == SearchTier::loaded) {
    gathered->begin_loaded();
  } else {
    const LibraryDescriptor& library = gathered->library();
    const Interpreter* program = library.is_driver ? nullptr : &gathered->program();
    const RootQuery query{program, gathered->report.request.caller, library.file_prefix,
                          library.is_driver, gathered->absent};
    each_root(gathered->machine, query, tier, &gathered->arena, visit_root, &visit);
  }
  return visit.ended || end.ends(end.argument);
}

}  // namespace anycuda
