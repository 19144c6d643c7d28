// SPDX-License-Identifier: Apache-2.0
#include "compat/metadata/package_owners.h"

#include <unistd.h>

#include <cstring>

#include "compat/base/folder_entries.h"
#include "compat/base/lexical_path.h"
#include "compat/base/shortage.h"
#include "compat/base/text.h"
#include "compat/metadata/records/conda_record.h"
#include "compat/metadata/records/dpkg_record.h"
#include "compat/metadata/text_state.h"
#include "compat/metadata/toolkit_root.h"

namespace anycuda {
namespace {

// A toolkit's headers are a thousand files.
constexpr std::size_t kMostOfList = std::size_t{64} << 20;

// "cudart" of "libcudart.so.12": the name of its package usually contains it, so that usually one
// list is read and not thirty.
class Stem {
 public:
  explicit Stem(std::string_view path) {
    name_ = name_of(path);
    if (text::begins(name_, "lib")) name_ = text::without(name_, 3);
    name_ = text::first(name_, text::find(name_, "."));
  }
  // A package's name has no capitals.
  bool in(std::string_view package) const {
    for (; package.size() >= name_.size(); package.remove_prefix(1)) {
      std::size_t same = 0;
      while (same < name_.size() && text::lower(name_[same]) == package[same]) ++same;
      if (same == name_.size()) return true;
      if (package.empty()) break;
    }
    return false;
  }

 private:
  std::string_view name_;
};

class Look {
 public:
  Look(const Site* site, const char* path, Sites* sites, Owners* owners)
      : site_(site), path_(path), sites_(sites), owners_(*owners) {}

  // Those that are probably the owners first; the others only if none of these lists it.
  void look() {
    if (site_ == nullptr || site_->first == nullptr) return;
    if (owners_.site == nullptr) owners_.site = site_;
    if (site_->incomplete) owners_.problem = "too many packages to read";
    const Stem stem(path_);
    for (int round = 0; round < 2 && owners_.count == 0; ++round) {
      for (const Installed* one = site_->first; one != nullptr; one = one->next) {
        if (stem.in(one->named.name) == (round == 0)) ask(one);
      }
    }
    if (owners_.count > 0) owners_.site = site_;
  }

 private:
  void ask(const Installed* one) {
    const TextState state = text_.read(one->folder, kMostOfList);
    if (state == TextState::missing) return;  // it has just been removed
    if (state != TextState::read) return note_problem(one, describe_state(state, text_.error()));
    const bool conda = site_->manager == Manager::conda;
    if ((conda ? listed_by_conda(one) : listed_by_dpkg()) && owners_.count < Owners::kMost) {
      owners_.found[owners_.count++] = one;
    }
  }

  void note_problem(const Installed* one, const char* what) {
    const char* problem = sites_->arena()->format("%s %s", one->folder, what);
    owners_.problem = problem != nullptr ? problem : "out of memory";
  }

  bool listed_by_conda(const Installed* one) {
    const std::string_view prefix = folder_of(site_->folder);
    const std::size_t skipped = prefix == "/" ? 1 : prefix.size() + 1;
    const CondaRecord record = read_conda_record(text_.text(), path_ + skipped);
    if (!record.good) note_problem(one, "is not a valid conda record");
    return record.good && record.lists;
  }

  // Where /lib is a link to /usr/lib, the lists of older packages have /lib.
  bool listed_by_dpkg() {
    constexpr std::string_view kMerged = "/usr";
    const std::string_view root = folder_of(folder_of(folder_of(folder_of(site_->folder))));
    const std::string_view path = text::without(path_, root == "/" ? 0 : root.size());
    if (dpkg_lists(text_.text(), path)) return true;
    if (!text::begins(path, kMerged)) return false;
    const std::string_view short_path = text::without(path, kMerged.size());
    if (!text::begins(short_path, "/lib/") || !dpkg_lists(text_.text(), short_path)) return false;
    char target;
    return noted(readlink(LexicalPath(sites_->arena(), root, "lib").c_str(), &target, 1)) > 0;
  }

  const Site* site_;
  const char* path_;
  Sites* sites_;
  Owners& owners_;
  TextFile text_;
};

// The system's packages install libraries only in these folders. For a file in a home, or in a
// cluster's folders, hundreds of lists would be read in vain. (Debian Policy, "File System
// Structure".)
bool may_be_packaged(std::string_view path) {
  return text::begins(path, "/usr/") || text::begins(path, "/opt/") || text::begins(path, "/lib");
}

Owners no_owners(Manager manager) {
  Owners owners = {};
  owners.problem = "";
  owners.manager = manager;
  return owners;
}

void look_in_prefixes(const char* path, Sites* sites, Owners* owners) {
  const LexicalPath folder(sites->arena(), folder_of(path));
  Roots roots(folder.c_str(), sites->arena());
  while (owners->count == 0) {
    const char* root = roots.next();
    if (root == nullptr) return;
    const LexicalPath records(sites->arena(), root, "conda-meta");
    Look(sites->at(records.c_str(), Manager::conda), path, sites, owners).look();
  }
}

void look_in_lists(const char* root, const char* folder, const char* real, Sites* sites,
                   Owners* owners) {
  const LexicalPath lists(sites->arena(), root, folder);
  Look(sites->at(lists.c_str(), Manager::dpkg), real, sites, owners).look();
}

}  // namespace

Owners conda_owners_of(const char* path, const char* real, Sites* sites) {
  Owners owners = no_owners(Manager::conda);
  look_in_prefixes(path, sites, &owners);
  const bool elsewhere = real != nullptr && std::strcmp(real, path) != 0;
  if (owners.count == 0 && elsewhere) look_in_prefixes(real, sites, &owners);
  return owners;
}

Owners dpkg_owners_of(const char* real, Sites* sites) {
  Owners owners = no_owners(Manager::dpkg);
  if (real == nullptr) return owners;
  const bool is_root = *sites->root() == '\0';
  const char* root = is_root ? "/" : real_path(sites->root(), sites->arena());
  if (root == nullptr || !is_below(real, root)) return owners;
  const std::size_t skipped = std::strcmp(root, "/") == 0 ? 0 : std::strlen(root);
  if (!may_be_packaged(real + skipped)) return owners;
  look_in_lists(root, "var/lib/dpkg/info", real, sites, &owners);
  if (owners.count == 0) look_in_lists(root, "var/lib/dpkg/status.d", real, sites, &owners);
  return owners;
}

}  // namespace anycuda
