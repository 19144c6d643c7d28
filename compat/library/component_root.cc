// SPDX-License-Identifier: Apache-2.0
#include "compat/library/component_root.h"

#include <fnmatch.h>
#include <sys/stat.h>

#include <utility>

#include "compat/library/find_folders.h"
#include "compat/search/machine/trust.h"

namespace anycuda::compat {
namespace {

// Takes the last component off a path.
std::string take_last(std::string_view* path) {
  const std::size_t slash = path->rfind('/');
  const std::size_t begin = slash == std::string_view::npos ? 0 : slash + 1;
  std::string last(path->substr(begin));
  path->remove_suffix(path->size() - (begin == 0 ? 0 : slash));
  return last;
}

// The part of `folder` above the catalogue's pattern ("/x" of "/x/nvidia/cu13/lib"); nothing if
// `folder` does not match it.
std::optional<std::string_view> above(std::string_view folder, std::string_view pattern) {
  while (!pattern.empty()) {
    if (folder.empty()) return std::nullopt;
    const std::string wanted = take_last(&pattern);
    const std::string name = take_last(&folder);
    if (fnmatch(wanted.c_str(), name.c_str(), FNM_PERIOD) != 0) return std::nullopt;
  }
  return folder;
}

}  // namespace

bool operator==(const ComponentRoot& a, const ComponentRoot& b) {
  return a.path == b.path && a.folders == b.folders;
}

// The pattern that matches most of the path: nvidia/cu13/lib, not the lib in it.
std::optional<ComponentRoot> root_of(const Component& component, std::string_view path) {
  if (path.empty() || path.front() != '/') return std::nullopt;
  const std::string folder =
      plain_path(component.kind == Kind::headers ? path : path.substr(0, path.rfind('/')));
  std::optional<ComponentRoot> found;
  for (Texts Component::*const folders :
       {&Component::wheel_folders, &Component::root_folders, &Component::system_folders}) {
    for (const std::string_view pattern : component.*folders) {
      const auto root = above(folder, pattern);
      if (!root || (found && root->size() >= found->path.size())) continue;
      found = ComponentRoot{std::string(*root), folders};
    }
  }
  return found;
}

namespace {

// The root has an accepted component, so the root's owner may add others; another user may not. A
// folder that does not exist is harmless.
bool may_supply(const std::string& root, const std::string& path) {
  struct stat status;
  if (path.size() <= root.size() || stat(path.c_str(), &status) != 0) return true;
  const char* folder = root.empty() ? "/" : root.c_str();
  if (stat(folder, &status) != 0) return false;
  Arena arena;
  return only_trusted_can_write(folder, path.c_str() + root.size() + 1, status.st_uid, &arena);
}

}  // namespace

SearchLocations locations_below(const ComponentRoot& root, const Component& component) {
  SearchLocations locations;
  for (const std::string_view pattern : component.*root.folders) {
    for (std::string& path : folders_like(root.path, pattern, &locations.remarks)) {
      if (!may_supply(root.path, path)) {
        locations.remark_untrusted(path);
        continue;
      }
      locations.locations.push_back({Found::beside, root.path, std::move(path), false});
    }
  }
  return locations;
}

}  // namespace anycuda::compat
