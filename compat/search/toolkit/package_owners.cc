#include "compat/search/toolkit/package_owners.h"

#include <sys/stat.h>

#include <climits>
#include <cstdlib>
#include <cstring>

#include "compat/base/folder_entries.h"
#include "compat/base/text.h"
#include "compat/search/toolkit/conda_record.h"
#include "compat/search/toolkit/dpkg_record.h"
#include "compat/search/toolkit/plain_version.h"
#include "compat/search/toolkit/toolkit_packages.h"
#include "compat/search/toolkit/toolkit_root.h"

// What Debian calls this CPU.
#if defined(__x86_64__)
#define DPKG_ARCHITECTURE "amd64"
#else
#define DPKG_ARCHITECTURE "arm64"
#endif

namespace anycuda {
namespace {

// A toolkit's headers are a thousand files.
constexpr std::size_t kMostOfList = std::size_t{64} << 20;

// "cudart" of "libcudart.so.12": what the name of its package has in it as a rule, so that as a
// rule one list is read and not thirty.
class Stem {
 public:
  explicit Stem(std::string_view path) {
    std::string_view name = name_of(path);
    if (text::begins(name, "lib")) name = text::without(name, 3);
    name = text::first(name, text::find(name, "."));
    for (const char c : name) {
      if (length_ < sizeof text_) text_[length_++] = text::lower(c);
    }
  }
  bool in(std::string_view package) const { return text::find(package, text()) != text::kNowhere; }
  std::string_view text() const { return {text_, length_}; }

 private:
  char text_[64];
  std::size_t length_ = 0;
};

bool is_same_file(const char* a, const char* b) {
  struct stat first;
  struct stat second;
  return a != nullptr && stat(a, &first) == 0 && stat(b, &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

class Look {
 public:
  Look(const Site* site, const char* path, Sites* sites, Owners* owners)
      : site_(site), path_(path), sites_(sites), owners_(*owners) {}

  // Those that are probably the owners first; the others only if none of these lists it.
  void look() {
    if (site_ == nullptr || site_->first == nullptr) return;
    if (owners_.site == nullptr) owners_.site = site_;
    if (site_->incomplete) owners_.problem = "there are more packages than can be looked at";
    const Stem stem(path_);
    for (int round = 0; round < 2 && owners_.count == 0; ++round) {
      for (const Installed* one = site_->first; one != nullptr; one = one->next) {
        if (stem.in(one->named.name) == (round == 0)) ask(one);
      }
    }
    if (owners_.count > 0) owners_.site = site_;
  }
  // One alone.
  void look_at(const Installed* one) {
    ask(one);
    if (owners_.count > 0) owners_.site = site_;
  }

 private:
  void ask(const Installed* one) {
    const TextState state = text_.read(one->folder, kMostOfList);
    if (state == TextState::missing) return;  // it has just been removed, or was never there
    if (state != TextState::read) return note_problem(one, words_for(state, text_.error()));
    const bool conda = site_->manager == Manager::conda;
    if ((conda ? listed_by_conda(one) : listed_by_dpkg()) && owners_.count < Owners::kMost) {
      owners_.found[owners_.count++] = one;
    }
  }

  void note_problem(const Installed* one, const char* what) {
    const char* problem = sites_->arena()->format("%s %s", one->folder, what);
    owners_.problem = problem != nullptr ? problem : "there is no memory to look at packages";
  }

  bool listed_by_conda(const Installed* one) {
    const std::string_view prefix = folder_of(site_->folder);
    const std::size_t skipped = prefix == "/" ? 1 : prefix.size() + 1;
    const CondaRecord record = read_conda_record(text_.text(), path_ + skipped);
    if (!record.good) note_problem(one, "is not such a record as conda writes");
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
    if (!text::begins(short_path, "/") || !dpkg_lists(text_.text(), short_path)) return false;
    Arena* arena = sites_->arena();
    const std::size_t mark = arena->mark();
    const bool same =
        is_same_file(arena->format("%.*s%s", root == "/" ? 0 : static_cast<int>(root.size()),
                                   root.data(), short_path.data()),
                     path_);
    arena->rewind(mark);
    return same;
  }

  const Site* site_;
  const char* path_;
  Sites* sites_;
  Owners& owners_;
  TextFile text_;
};

// Debian's packages have their libraries nowhere else. What lies in a home, or in a cluster's
// folders, is not worth a look into hundreds of lists. (Debian Policy, "File System Structure".)
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
  const LexicalPath folder(folder_of(path));
  Roots roots(folder.c_str());
  while (owners->count == 0) {
    const char* root = roots.next();
    if (root == nullptr) return;
    const LexicalPath records(root, "conda-meta");
    Look(sites->at(records.c_str(), Manager::conda), path, sites, owners).look();
  }
}

void look_in_lists(const char* root, const char* folder, const char* real, Sites* sites,
                   Owners* owners) {
  const LexicalPath lists(root, folder);
  Look(sites->at(lists.c_str(), Manager::dpkg), real, sites, owners).look();
}

// By the names that NVIDIA and Debian give to the package of lib<stem>.so.<major>.<minor>: that is
// where to look first, and says nothing yet.
class ProbableLists {
 public:
  ProbableLists(const char* root, const char* real, Sites* sites, Owners* owners)
      : real_(real), sites_(sites), owners_(*owners), folder_(root, "var/lib/dpkg/info") {}

  void look(std::string_view path) {
    constexpr std::string_view kEnd = ".so.";
    const std::string_view name = name_of(path);
    const std::size_t end = text::find(name, kEnd);
    if (end == text::kNowhere || is_world_writable(folder_.c_str())) return;
    const Version version = major_minor(text::without(name, end + kEnd.size()));
    if (!version.known()) return;
    const Stem stem(path);
    const int length = static_cast<int>(stem.text().size());
    const char* text = stem.text().data();
    Arena* arena = sites_->arena();
    if (text::begins(path, "/usr/lib") || text::begins(path, "/lib")) {
      ask(arena->format("%s/lib%.*s%d:" DPKG_ARCHITECTURE ".list", folder_.c_str(), length, text,
                        version.major));
      ask(arena->format("%s/lib%.*s%d.0:" DPKG_ARCHITECTURE ".list", folder_.c_str(), length, text,
                        version.major));
    } else {
      ask(arena->format("%s/cuda-%.*s-%d-%d.list", folder_.c_str(), length, text, version.major,
                        version.minor));
      ask(arena->format("%s/lib%.*s-%d-%d.list", folder_.c_str(), length, text, version.major,
                        version.minor));
    }
  }

 private:
  void ask(const char* list) {
    if (list == nullptr || owners_.count > 0) return;
    const std::string_view package = parse_dpkg_list_name(name_of(list), ".list");
    auto* site = static_cast<Site*>(sites_->arena()->take(sizeof(Site)));
    auto* one = static_cast<Installed*>(sites_->arena()->take(sizeof(Installed)));
    if (site == nullptr || one == nullptr) return;
    if (release_in(Manager::dpkg, package) == ReleaseIn::nothing) return;
    site->folder = sites_->arena()->copy(folder_.c_str());
    if (site->folder == nullptr) return;
    site->manager = Manager::dpkg;
    one->site = site->folder;
    one->folder = list;
    one->named.name = package;
    Look(site, real_, sites_, &owners_).look_at(one);
  }

  const char* real_;
  Sites* sites_;
  Owners& owners_;
  LexicalPath folder_;
};

}  // namespace

Owners conda_owners_of(const char* path, const char* real, Sites* sites) {
  Owners owners = no_owners(Manager::conda);
  look_in_prefixes(path, sites, &owners);
  const bool elsewhere = real != nullptr && std::strcmp(real, path) != 0;
  if (owners.count == 0 && elsewhere) look_in_prefixes(real, sites, &owners);
  return owners;
}

Owners dpkg_owners_of(const char* real, DpkgLists which, Sites* sites) {
  Owners owners = no_owners(Manager::dpkg);
  if (real == nullptr) return owners;
  char room[PATH_MAX];
  const char* root = *sites->root() == '\0' ? "/" : realpath(sites->root(), room);
  if (root == nullptr || !is_below(real, root)) return owners;
  const std::size_t skipped = std::strcmp(root, "/") == 0 ? 0 : std::strlen(root);
  if (!may_be_packaged(real + skipped)) return owners;
  if (which == DpkgLists::probable) {
    ProbableLists(root, real, sites, &owners).look(real + skipped);
    return owners;
  }
  look_in_lists(root, "var/lib/dpkg/info", real, sites, &owners);
  if (owners.count == 0) look_in_lists(root, "var/lib/dpkg/status.d", real, sites, &owners);
  return owners;
}

}  // namespace anycuda
