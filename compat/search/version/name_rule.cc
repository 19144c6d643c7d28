// SPDX-License-Identifier: Apache-2.0
#include "compat/search/version/name_rule.h"

#include <cstdint>

#include "compat/base/lexical_path.h"
#include "compat/base/text.h"

namespace anycuda {
namespace {

// A number at the start of a text; -1: none.
int take_number(std::string_view* text) {
  if (text->empty() || !text::is_digit(text->front())) return -1;
  int number = 0;
  for (; !text->empty() && text::is_digit(text->front()); text->remove_prefix(1)) {
    if (number < 100000) number = 10 * number + text->front() - '0';
  }
  return number;
}

bool take(std::string_view* text, std::string_view word) {
  if (!text::begins(*text, word)) return false;
  text->remove_prefix(word.size());
  return true;
}

// "12.8", and what follows a dot behind it.
ReleaseRange take_release(std::string_view* text) {
  std::string_view rest = *text;
  const int major = take_number(&rest);
  if (major <= 0 || !take(&rest, ".")) return {};
  const int minor = take_number(&rest);
  if (minor < 0 || minor >= ReleaseRange::kMinors) return {};
  while (take(&rest, ".") && take_number(&rest) >= 0) {
  }
  *text = rest;
  return ReleaseRange::of(major, minor);
}

constexpr int kParts = 3;
using Parts = std::uint8_t[kParts];

int compare(const int (&number)[kParts], const Parts& other) {
  for (int i = 0; i < kParts; ++i) {
    if (number[i] != other[i]) return number[i] - other[i];
  }
  return 0;
}

ReleaseRange by_table(const LibraryDescriptor& library, const int (&number)[kParts]) {
  const NumberRow* const rows = library.numbers;
  const int count = library.number_count;
  int ended = 0;  // the first release whose last number is not before this one
  while (ended < count && compare(number, rows[ended].last) > 0) ++ended;
  int begun = count - 1;  // the last release whose first number is not behind it
  while (begun >= 0 && compare(number, rows[begun].first) < 0) --begun;
  // One release; or several, if their numbers overlap, or if it is between two of them.
  const int low = ended < begun ? ended : begun;
  const int high = ended < begun ? begun : ended;
  ReleaseRange range;
  range.first = low >= 0 ? rows[low].release : 0;
  range.last = high < count ? rows[high].release
                            : (range.first / ReleaseRange::kMinors + 1) * ReleaseRange::kMinors - 1;
  return range;
}

// The number in a distribution's name behind its last part: 12 of "_cu12"; 0: none.
int take_major(std::string_view* text) {
  if (!take(text, "_cu")) return 0;
  const int major = take_number(text);
  return major > 0 ? major : 0;
}

// What may follow a release in a folder's name: cuda-12.8, cuda12.8-cudart, GCC-13.3-CUDA-12.8.0.
bool ends_release(std::string_view rest) {
  return rest.empty() || rest.front() == '-' || rest.front() == '_' || rest.front() == '+';
}

bool is_toolkits_folder(std::string_view name) {
  return name == "cuda" || name == "CUDA" || name == "comm_libs" || name == "math_libs";
}

}  // namespace

ReleaseRange releases_of_number(const LibraryDescriptor& library, std::string_view number) {
  for (std::size_t at; (at = text::find(number, ".so.")) != text::kNowhere;) {
    number = text::without(number, at + 4);
  }
  int parts[kParts];
  for (int i = 0; i < kParts; ++i) {
    if (i > 0 && !take(&number, ".")) return {};
    parts[i] = take_number(&number);
    if (parts[i] < 0) return {};
  }
  if (library.number_count != 0) return by_table(library, parts);
  const bool is_cudas = !library.own_releases && parts[0] > 0 && parts[1] < ReleaseRange::kMinors;
  return is_cudas ? ReleaseRange::of(parts[0], parts[1]) : ReleaseRange{};
}

ReleaseRange releases_of_toolkit_name(std::string_view folder) {
  // The HPC SDK has a folder for each library of communication below that of the release.
  const std::string_view above = folder_of(folder);
  if (name_of(folder_of(above)) == "comm_libs") folder = above;
  const std::string_view name = name_of(folder);
  std::string_view rest = name;
  const ReleaseRange whole = take_release(&rest);
  const bool is_release = !whole.is_empty() && ends_release(rest);
  if (is_release && is_toolkits_folder(name_of(folder_of(folder)))) return whole;
  for (rest = name; rest.size() > 4; rest.remove_prefix(1)) {
    std::string_view behind = rest;
    if (!take(&behind, "cuda") && !take(&behind, "CUDA")) continue;
    if (!take(&behind, "-")) take(&behind, "_");
    const ReleaseRange range = take_release(&behind);
    if (!range.is_empty() && ends_release(behind)) return range;
  }
  return {};
}

std::string_view root_of_layout(std::string_view folder) {
  const std::string_view name = name_of(folder);
  if (name == "lib64") return folder_of(folder);
  if (name != "lib") return {};
  const std::string_view above = folder_of(folder);
  const std::string_view targets = folder_of(above);
  return name_of(targets) == "targets" ? folder_of(targets) : above;
}

WheelFolder wheel_folder_of(const LibraryDescriptor& library, std::string_view folder) {
  for (const char* const* one = library.wheel_folders; *one != nullptr; ++one) {
    const std::string_view wheel = *one;
    if (folder.size() <= wheel.size() + 1 || !text::ends(folder, wheel)) continue;
    const std::string_view site = text::first(folder, folder.size() - wheel.size() - 1);
    if (folder[site.size()] != '/') continue;
    std::string_view name = name_of(folder_of(wheel));
    WheelFolder found{site};
    const bool is_of_major = take(&name, "cu");
    const int major = is_of_major ? take_number(&name) : 0;
    if (major > 0 && name.empty()) found.major = major;
    return found;
  }
  return {};
}

DistributionName distribution_of(const LibraryDescriptor& library) {
  DistributionName name;
  const char* const first = library.wheel_folders[0];
  if (first == nullptr) return name;
  const std::string_view folder = folder_of(first);  // without "/lib"
  if (folder.size() >= sizeof name.text) return name;
  for (const char c : folder) name.text[name.size++] = c == '/' ? '_' : c;
  name.text[name.size] = '\0';
  return name;
}

ReleaseRange releases_of_metadata(const LibraryDescriptor& library, std::string_view name) {
  const int major = take_major(&name);
  if (!take(&name, "-") || !text::ends(name, ".dist-info")) return {};
  const ReleaseRange number = releases_of_number(library, name);
  if (major == 0) return number;
  const ReleaseRange whole = ReleaseRange::of_majors(major, major);
  const ReleaseRange both = number.within(whole);
  return both.is_empty() ? whole : both;
}

ReleaseRange releases_of_conda_record(std::string_view name) {
  if (!take(&name, "cuda-version-") || !text::ends(name, ".json")) return {};
  const ReleaseRange range = take_release(&name);
  return text::begins(name, "-") ? range : ReleaseRange{};
}

}  // namespace anycuda
