// SPDX-License-Identifier: Apache-2.0
#include <link.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <limits>

#include "compat/library/system.h"
#include "compat/search/elf/classify.h"
#include "compat/search/machine/machine.h"
#include "compat/search/symbols/loaded_names.h"

namespace anycuda::compat {
namespace {

bool is_release(std::string_view text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) != 0 &&
         text.find_first_not_of("0123456789.") == std::string_view::npos;
}

// Is the name one of the row's, or of a major that the row does not have yet?
bool names(const Component& component, std::string_view name) {
  if (component.files.contains(name)) return true;
  return std::any_of(component.files.begin(), component.files.end(), [&](std::string_view file) {
    const std::size_t end = file.find(".so.");
    if (end == std::string_view::npos) return false;
    const std::string_view stem = file.substr(0, end + 4);
    return name.substr(0, stem.size()) == stem && is_release(name.substr(stem.size()));
  });
}

// The row's name for a loaded object, "" if the row has no such name. A copy that a wheel has
// renamed keeps the name in its version definition.
std::string soname_in(const dl_phdr_info& info, const Component& component) {
  const LoadedNames::OwnNames loaded = LoadedNames(info).own_names();
  std::string found;
  bool is_stub = false;
  if (loaded.soname != nullptr && names(component, loaded.soname)) found = loaded.soname;
  loaded.each_version([&](const char* name, bool) {
    is_stub = is_stub || std::string_view(name) == kStubSymbolVersion;
    if (found.empty() && names(component, name)) found = name;
    return !is_stub;
  });
  return is_stub ? std::string() : found;
}

struct Visit {
  const Component* component;
  std::vector<LoadedImage> images;
};

// The dynamic linker's lock is held: nothing here may load anything.
int visit(dl_phdr_info* info, std::size_t, void* argument) {
  auto* visit = static_cast<Visit*>(argument);
  if (info->dlpi_name == nullptr || *info->dlpi_name == '\0') return 0;
  const std::string soname = soname_in(*info, *visit->component);
  if (!soname.empty()) visit->images.push_back({info->dlpi_name, {}, soname});
  return 0;
}

std::string full_path(const std::string& name) {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::absolute(name, error);
  return error ? name : path.lexically_normal().string();
}

}  // namespace

std::vector<LoadedImage> loaded_images(const Component& component) {
  Visit all{&component, {}};
  Machine().loaded_objects(visit, &all);
  for (LoadedImage& image : all.images) image.path = full_path(image.name);
  std::stable_sort(all.images.begin(), all.images.end(),
                   [](const LoadedImage& a, const LoadedImage& b) {
                     return major_of_soname(a.soname) > major_of_soname(b.soname);
                   });
  return all.images;
}

}  // namespace anycuda::compat
