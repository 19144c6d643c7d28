// SPDX-License-Identifier: Apache-2.0
#include "compat/library/find_locations.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <set>
#include <utility>

#include "compat/base/arena.h"
#include "compat/base/folder_entries.h"
#include "compat/base/lexical_path.h"
#include "compat/base/log.h"
#include "compat/descriptor/libraries.h"
#include "compat/library/find_folders.h"
#include "compat/search/machine/caller_folders.h"
#include "compat/search/machine/linker_tokens.h"
#include "compat/search/machine/roots.h"
#include "compat/search/machine/trust.h"

namespace anycuda::compat {
namespace {

// Without the stubs' variables and run paths.
constexpr SearchTiers kTiers = only(SearchTier::caller) | only(SearchTier::python) |
                               only(SearchTier::conda) | only(SearchTier::activated) |
                               only(SearchTier::toolkit) | only(SearchTier::system);
// NVIDIA's documented way for the package cuda-compat is LD_LIBRARY_PATH ("CUDA Compatibility",
// "Forward Compatibility").
constexpr SearchTiers kDriverTiers = only(SearchTier::library_path) | only(SearchTier::system);

Found found_in(SearchTier tier, RootKind kind) {
  if (tier == SearchTier::library_path) return Found::library_path;
  if (kind == RootKind::site_packages) return Found::wheel;
  if (kind == RootKind::conda) return Found::conda;
  return tier == SearchTier::toolkit ? Found::toolkit_variable : Found::system;
}

class Collector {
 public:
  Collector(const Component& component, const Machine& machine)
      : component_(component), machine_(machine) {
    if (!arena_.usable()) throw std::bad_alloc();
  }

  SearchLocations collect() {
    found_.root = plain_path(machine_.root());
    std::string prefix;
    const Interpreter program = machine_.interpreter(&arena_);
    RootQuery query{&program};
    if (component_.kind == Kind::dynamic_library) {
      prefix = common_beginning();
      query.file_prefix = prefix.c_str();
    }
    query.from_driver = component_.packaging == Packaging::driver;
    SearchTiers tiers = query.from_driver ? kDriverTiers : kTiers;
    if (component_.kind == Kind::dynamic_library) tiers = tiers | only(SearchTier::library_path);
    if (query.from_driver && add_named_file(program)) return std::move(found_);
    for (const SearchTier tier : tier_order(program.is_python())) {
      tier_ = tier;
      if (tier == SearchTier::toolkit) begin_toolkits();
      if (has(tiers, tier)) each_root(machine_, query, tier, &arena_, visit, this);
    }
    return std::move(found_);
  }

 private:
  static bool visit(const Root& root, void* collector) {
    static_cast<Collector*>(collector)->root(root);
    return true;
  }

  // The file that the library's own variable names; false if that is not set. As in the stubs no
  // other takes its place.
  bool add_named_file(const Interpreter& program) {
    const Library* library = library_named(std::string(component_.name).c_str());
    const char* file =
        library != nullptr ? machine_.variable(library->descriptor->variable) : nullptr;
    if (file == nullptr) return false;
    // What dlopen() makes of it.
    const char* path = file;
    if (has_linker_tokens(file)) {
      path = expand_linker_tokens(file, origin_of(own_file(program, &arena_)), &arena_);
    }
    const std::string variable = library->descriptor->variable;
    if (path != nullptr && *path == '/') {
      add({Found::system, variable, path, true});
    } else {
      found_.remarks.push_back(variable + " is '" + file + "', which is not an absolute path");
    }
    return true;
  }

  // The roots that the component's variables name; those of toolkits follow.
  void begin_toolkits() {
    static std::atomic<bool> warned{false};
    const char* const differing =
        log_enabled(LogLevel::warn) ? differing_toolkit_variables(machine_, &arena_) : nullptr;
    if (differing != nullptr && !warned.exchange(true)) {
      log_line(LogLevel::warn, "%s", differing);
    }
    for (const std::string_view name : component_.variables) {
      const std::string variable(name);
      if (const char* const path = machine_.variable(variable.c_str())) {
        root({RootKind::toolkit, path, true, false, nullptr, variable.c_str()});
      }
    }
  }

  void root(const Root& root) {
    if (root.kind == RootKind::cached_file) {
      cached_.emplace_back(root.path);
      return;
    }
    add_cached();
    if (root.kind == RootKind::folder) {
      return add({found_in(tier_, root.kind), root.path, root.path, false});
    }
    const bool toolkit = root.kind == RootKind::toolkit && component_.root_folders.size() != 0;
    if (toolkit && *root.path != '/') {
      found_.remarks.push_back(std::string(root.variable) + " is '" + root.path +
                               "', which is not an absolute path");
      return;
    }
    add_folders(root, plain_path(root.path));
  }

  const Texts& folders_below(RootKind kind) const {
    if (kind == RootKind::site_packages) return component_.wheel_folders;
    return kind == RootKind::system ? component_.system_folders : component_.root_folders;
  }

  // `root`'s folders, as the catalogue has them.
  void add_folders(const Root& root, const std::string& base) {
    for (const std::string_view pattern : folders_below(root.kind)) {
      for (const std::string& path : folders_like(base, pattern, &found_.remarks)) {
        if (root.guessed && !is_trusted(root, base, path)) continue;
        add({found_in(tier_, root.kind), base, path, false});
      }
    }
  }

  // For a guessed folder: is it trusted?
  bool is_trusted(const Root& root, const std::string& base, const std::string& path) {
    if (path.size() <= base.size() || !is_folder(path.c_str())) return true;  // nothing is there
    const std::string below = path.substr(base.size() + 1);
    if (only_trusted_can_write(base.c_str(), below.c_str(), owner_of(root.file), &arena_))
      return true;
    found_.remark_untrusted(path);
    return false;
  }

  // What the dynamic linker's cache names, in the order of the component's SONAMEs.
  void add_cached() {
    for (const std::string_view file : component_.files) {
      for (const std::string& path : cached_) {
        if (anycuda::name_of(path) != file) continue;
        add({Found::system, found_.root + "/etc/ld.so.cache", path, true});
      }
    }
    cached_.clear();
  }

  void add(SearchLocation location) {
    if (seen_.insert(location.path).second) found_.locations.push_back(std::move(location));
  }

  std::string common_beginning() const {
    std::string common(*component_.files.begin());
    for (const std::string_view file : component_.files) {
      const auto [mine, other] =
          std::mismatch(common.begin(), common.end(), file.begin(), file.end());
      common.erase(mine, common.end());
    }
    return common;
  }

  const Component& component_;
  const Machine& machine_;
  Arena arena_;
  SearchTier tier_ = SearchTier::system;
  SearchLocations found_;
  std::vector<std::string> cached_;
  std::set<std::string> seen_;
};

}  // namespace

SearchLocations locations_of(const Component& component, const Machine& machine) {
  return Collector(component, machine).collect();
}

}  // namespace anycuda::compat
