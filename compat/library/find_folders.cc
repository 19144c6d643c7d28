// SPDX-License-Identifier: Apache-2.0
#include "compat/library/find_folders.h"

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>

namespace anycuda::compat {
namespace {

struct CloseFolder {
  void operator()(DIR* stream) const { closedir(stream); }
};

// Has `name` the pattern's parts before and behind its '*'?
bool is_like(std::string_view name, std::string_view pattern) {
  const std::size_t star = pattern.find('*');
  const std::string_view before = pattern.substr(0, star);
  const std::string_view behind = pattern.substr(star + 1);
  return name.front() != '.' && name.size() >= before.size() + behind.size() &&
         name.substr(0, before.size()) == before &&
         name.substr(name.size() - behind.size()) == behind;
}

std::string below(const std::string& folder, std::string_view name) {
  std::string path = folder;
  return path.append("/").append(name);
}

std::vector<std::string> entries_like(const std::string& folder, std::string_view pattern,
                                      std::vector<std::string>* remarks) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, CloseFolder> stream(opendir(folder.empty() ? "/" : folder.c_str()));
  if (stream == nullptr) {
    if (errno != ENOENT && errno != ENOTDIR) {
      remarks->push_back(folder + ": " + std::generic_category().message(errno));
    }
    return names;
  }
  while (const dirent* entry = readdir(stream.get())) {
    if (is_like(entry->d_name, pattern)) names.emplace_back(entry->d_name);
  }
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return strverscmp(a.c_str(), b.c_str()) > 0;
  });
  return names;
}

}  // namespace

std::string plain_path(std::string_view path) {
  std::string plain;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view component = path.substr(0, end);
    if (!component.empty() && component != ".") plain.append("/").append(component);
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return plain;
}

std::vector<std::string> folders_like(const std::string& base, std::string_view pattern,
                                      std::vector<std::string>* remarks) {
  std::vector<std::string> paths = {base};
  while (!pattern.empty()) {
    const std::size_t end = std::min(pattern.find('/'), pattern.size());
    const std::string_view component = pattern.substr(0, end);
    pattern.remove_prefix(std::min(end + 1, pattern.size()));
    std::vector<std::string> next;
    for (const std::string& path : paths) {
      if (component.find('*') == std::string_view::npos) {
        next.push_back(below(path, component));
        continue;
      }
      for (const std::string& name : entries_like(path, component, remarks)) {
        next.push_back(below(path, name));
      }
    }
    paths = std::move(next);
  }
  return paths;
}

}  // namespace anycuda::compat
