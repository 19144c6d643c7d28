#include "compat/library/find_places.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <set>
#include <system_error>

#include "compat/base/arena.h"
#include "compat/base/environment.h"
#include "compat/base/lexical_path.h"
#include "compat/library/find_folders.h"
#include "compat/search/ld_cache.h"
#include "compat/search/python_folders.h"
#include "compat/search/tier_folders.h"

namespace anycuda::compat {
namespace {

class Collector {
 public:
  explicit Collector(const Piece& piece) : piece_(piece) {
    if (!arena_.usable()) throw std::bad_alloc();
  }

  PlacesToLook collect() {
    wheels();
    conda();
    toolkits_of_variables();
    system();
    return std::move(found_);
  }

 private:
  using Roots = std::vector<std::string>;
  static void keep(const char* path, void* roots) {
    static_cast<Roots*>(roots)->emplace_back(path);
  }

  void add(Found where, const std::string& base, const std::string& path, bool is_file = false) {
    if (seen_.insert(path).second) found_.places.push_back({where, base, path, is_file});
  }

  // `base`'s folders, as the catalogue has them.
  void folders(Found where, const std::string& base, const Texts& patterns) {
    for (const std::string_view pattern : patterns) {
      for (const std::string& path : folders_like(base, pattern, &found_.remarks)) {
        add(where, base, path);
      }
    }
  }

  void wheels() {
    if (piece_.wheel_folders.size() == 0) return;
    Roots sites;
    each_site(&arena_, nullptr, keep, &sites);
    for (const std::string& site : sites)
      folders(Found::wheel, plain_path(site), piece_.wheel_folders);
  }

  void conda() {
    if (piece_.root_folders.size() == 0) return;
    Roots roots;
    each_conda_folder(&arena_, keep, &roots);
    // The prefix alone: the rows name its targets/ folder of this CPU themselves, and one for
    // another CPU is of no use.
    if (!roots.empty()) folders(Found::conda, plain_path(roots.front()), piece_.root_folders);
  }

  void toolkits_of_variables() {
    if (piece_.root_folders.size() == 0) return;
    Roots roots;
    each_variable_root(keep, &roots);
    for (const std::string& root : roots) {
      if (root.front() == '/') {
        folders(Found::toolkit_variable, plain_path(root), piece_.root_folders);
      } else {
        found_.remarks.push_back("CUDA_PATH or CUDA_HOME is '" + root +
                                 "', which is no absolute path");
      }
    }
  }

  void system() {
    const std::string root = plain_path(anycuda::system_root());
    if (piece_.kind == Kind::dynamic_library) {
      cached(root);
      folders(Found::system, root, piece_.system_folders);
      system_toolkits();
    } else {
      system_toolkits();
      folders(Found::system, root, piece_.system_folders);
    }
  }

  // The administrator's choice (usr/local/cuda) first, then the newest, opt/cuda last.
  void system_toolkits() {
    if (piece_.root_folders.size() == 0) return;
    Roots roots;
    each_system_root(&arena_, keep, &roots);
    for (std::string& root : roots) root = plain_path(root);
    std::sort(roots.begin(), roots.end(), [](const std::string& a, const std::string& b) {
      return rank(a) != rank(b) ? rank(a) < rank(b) : strverscmp(a.c_str(), b.c_str()) > 0;
    });
    for (const std::string& root : roots) folders(Found::system, root, piece_.root_folders);
  }
  static int rank(std::string_view root) {
    if (anycuda::name_of(anycuda::folder_of(root)) != "local") return 2;
    return anycuda::name_of(root) == "cuda" ? 0 : 1;
  }

  // What ld.so would find, in the order of the piece's SONAMEs.
  void cached(const std::string& root) {
    const std::string common = common_beginning();
    Roots paths;
    each_cached_library(root.c_str(), common.c_str(), &arena_, keep, &paths);
    for (const std::string_view file : piece_.files) {
      for (const std::string& path : paths) {
        if (anycuda::name_of(path) == file)
          add(Found::system, root + "/etc/ld.so.cache", path, true);
      }
    }
  }

  std::string common_beginning() const {
    std::string common(*piece_.files.begin());
    for (const std::string_view file : piece_.files) {
      const auto [mine, other] =
          std::mismatch(common.begin(), common.end(), file.begin(), file.end());
      common.erase(mine, common.end());
    }
    return common;
  }

  const Piece& piece_;
  Arena arena_;
  PlacesToLook found_;
  std::set<std::string> seen_;
};

}  // namespace

PlacesToLook places_of(const Piece& piece) { return Collector(piece).collect(); }

}  // namespace anycuda::compat
