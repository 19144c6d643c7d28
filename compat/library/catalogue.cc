// SPDX-License-Identifier: Apache-2.0
#include "anycuda/compat/catalogue.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "anycuda/compat/errors.h"
#include "compat/metadata/toolkit_distributions.h"

namespace anycuda::compat {
namespace {

// kComponents, from compat/catalogue/*.txt.
#include "catalogue_table.inc"

char lower(char letter) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

// How many letters must be changed, put in, taken out or swapped with their neighbour to make one
// name of the other, in any case.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> table((a.size() + 1) * width);
  const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& {
    return table[i * width + j];
  };
  const auto same = [&](std::size_t i, std::size_t j) {
    return lower(a[i - 1]) == lower(b[j - 1]);
  };
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        at(i, j) = i + j;
        continue;
      }
      const std::size_t changed = at(i - 1, j - 1) + (same(i, j) ? 0 : 1);
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, changed});
      if (i > 1 && j > 1 && same(i - 1, j) && same(i, j - 1)) {
        at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
      }
    }
  }
  return table.back();
}

// "libcudart.so.12" and "libnvrtc_static.a" mean cudart and nvrtc_static.
std::string_view without_file_parts(std::string_view name) {
  if (name.substr(0, 3) == "lib" && name.find('.') != std::string_view::npos) name.remove_prefix(3);
  return name.substr(0, name.find('.'));
}

constexpr std::size_t kLongestName = 64;  // a longer text is not a typing error
constexpr std::size_t kMostNear = 4;

using AnyKind = std::optional<Kind>;  // nothing: every kind

bool is_of(AnyKind kind, const Component& component) {
  return !kind.has_value() || component.kind == *kind;
}

// Two kinds may have the same name.
void add_once(std::string_view name, std::vector<std::string_view>* names) {
  if (std::find(names->begin(), names->end(), name) == names->end()) names->push_back(name);
}

// The nearest names; several where they are equally near.
std::vector<std::string_view> near_names(AnyKind kind, std::string_view name) {
  const std::string_view wanted = without_file_parts(name.substr(0, kLongestName));
  std::size_t nearest = 1 + wanted.size() / 4;  // a name that is further away is another one
  std::vector<std::string_view> names;
  for (const Component& component : all_components()) {
    if (!is_of(kind, component)) continue;
    const std::size_t distance = edit_distance(wanted, component.name);
    if (distance < nearest) names.clear();
    if (distance <= nearest) add_once(component.name, &names);
    nearest = std::min(nearest, distance);
  }
  if (names.size() > kMostNear) names.resize(kMostNear);
  return names;
}

// "a static library" for the name of a component of another kind; "" for any other name.
std::string other_kind(AnyKind kind, std::string_view name) {
  for (const Component& component : all_components()) {
    if (is_of(kind, component) || !same_name(component.name, name)) continue;
    const char* article = component.kind == Kind::headers ? "" : "a ";
    return article + std::string(name_of(component.kind));
  }
  return "";
}

std::string listed(const std::vector<std::string_view>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i != 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

std::string all_names(AnyKind kind) {
  std::vector<std::string_view> names;
  for (const Component& component : all_components()) {
    if (is_of(kind, component)) add_once(component.name, &names);
  }
  std::string text;
  for (const std::string_view name : names) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text;
}

[[noreturn]] void refuse_name(AnyKind kind, std::string_view name) {
  const std::string_view kinds = kind ? name_of(*kind) : std::string_view("component");
  std::string what = "the catalogue has no " + std::string(kinds) + " named '" +
                     std::string(name.substr(0, kLongestName)) +
                     (name.size() > kLongestName ? "...'" : "'");
  const std::string other = other_kind(kind, name);
  if (!other.empty()) what += " (but " + other + " of that name)";
  const std::vector<std::string_view> near = near_names(kind, name);
  what += near.empty() ? "; the valid names are " + all_names(kind)
                       : "; did you mean " + listed(near) + "?";
  throw UnknownNameError(what);
}

}  // namespace

Components all_components() { return {kComponents, std::size(kComponents)}; }

const Component* find_component(Kind kind, std::string_view name) {
  for (const Component& component : all_components()) {
    if (component.kind != kind) continue;
    if (same_name(component.name, name)) return &component;
    if (kind == Kind::bitcode_library && component.files.contains(name)) return &component;
  }
  return nullptr;
}

const Component& component_named(Kind kind, std::string_view name) {
  const Component* component = find_component(kind, name);
  if (component == nullptr) refuse_name(kind, name);
  return *component;
}

const Component& component_named(std::string_view name) {
  for (const Kind kind : {Kind::dynamic_library, Kind::program, Kind::static_library,
                          Kind::bitcode_library, Kind::headers}) {
    if (const Component* const component = find_component(kind, name)) return *component;
  }
  refuse_name({}, name);
}

bool same_group(const Component& a, const Component& b) {
  return std::any_of(a.groups.begin(), a.groups.end(),
                     [&](std::string_view group) { return b.groups.contains(group); });
}

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::dynamic_library:
      return "dynamic library";
    case Kind::headers:
      return "headers";
    case Kind::static_library:
      return "static library";
    case Kind::bitcode_library:
      return "bitcode library";
    case Kind::program:
      return "program";
  }
  return "component";
}

bool version_is_toolkits(std::string_view distribution) {
  return is_versioned_as_toolkit(distribution);
}

}  // namespace anycuda::compat
