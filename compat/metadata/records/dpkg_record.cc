// SPDX-License-Identifier: Apache-2.0
#include "compat/metadata/records/dpkg_record.h"

#include "compat/base/text.h"
#include "compat/metadata/records/plain_version.h"

namespace anycuda {
namespace {

// Takes the digits off the text's end; -1 if it has none, or too many.
int take_number(std::string_view* text) {
  int number = 0;
  int place = 1;
  std::size_t start = text->size();
  for (; start > 0 && text::is_digit((*text)[start - 1]); --start) {
    if (place > 1000) return -1;
    number += place * ((*text)[start - 1] - '0');
    place *= 10;
  }
  *text = text::first(*text, start);
  return place > 1 ? number : -1;
}

bool take_dash(std::string_view* text) {
  if (!text::ends(*text, "-")) return false;
  text->remove_suffix(1);
  return true;
}

// Up to the first character that a Debian revision, or an addition to one, begins with.
std::string_view upstream(std::string_view version) {
  std::size_t end = 0;
  while (end < version.size() && (text::is_digit(version[end]) || version[end] == '.')) ++end;
  const bool whole =
      end == version.size() || version[end] == '-' || version[end] == '~' || version[end] == '+';
  return whole ? text::first(version, end) : std::string_view();
}

// Does a line begin there that names the package?
bool names_package(std::string_view status, std::size_t at, std::string_view package) {
  constexpr std::string_view kField = "Package:";
  std::string_view before = text::first(status, at);
  const std::string_view behind = text::without(status, at + package.size());
  while (!before.empty() && text::is_blank(before.back())) before.remove_suffix(1);
  if (!text::ends(before, kField)) return false;
  before.remove_suffix(kField.size());
  const bool whole = behind.empty() || behind.front() == '\n' || text::is_blank(behind.front());
  return whole && (before.empty() || before.back() == '\n');
}

bool is_removed(std::string_view status) {
  return text::ends(status, " config-files") || text::ends(status, " not-installed");
}

void take_field(std::string_view line, std::string_view name, std::string_view* value) {
  if (text::begins(line, name)) *value = text::trimmed(text::without(line, name.size()));
}

// The version in the paragraph whose lines `rest` begins with; they are taken off it. Its fields
// have any order.
std::string_view take_paragraph(std::string_view* rest) {
  std::string_view version;
  std::string_view status;
  while (!rest->empty()) {
    const std::string_view line = text::take_line(rest);
    if (line.empty()) break;
    take_field(line, "Version:", &version);
    take_field(line, "Status:", &status);
  }
  return is_removed(status) ? std::string_view() : version;
}

}  // namespace

std::string_view parse_dpkg_list_name(std::string_view file, std::string_view end) {
  if (!text::ends(file, end)) return {};
  const std::string_view stem = text::first(file, file.size() - end.size());
  return text::first(stem, text::find(stem, ":"));
}

bool dpkg_lists(std::string_view list, std::string_view path) {
  const std::string_view wanted = text::without(path, 1);
  for (std::size_t at = text::find(list, wanted); at != text::kNowhere;
       at = text::find(list, wanted, at + wanted.size())) {
    const std::string_view before = text::first(list, at);
    const std::string_view behind = text::without(list, at + wanted.size());
    const bool begins = before == "/" || text::ends(before, "\n/") || text::ends(before, "  ");
    if (begins && (behind.empty() || behind.front() == '\n')) return true;
  }
  return false;
}

std::string_view dpkg_version(std::string_view status, std::string_view package) {
  std::size_t done = 0;  // paragraphs that were read
  for (std::size_t at = text::find(status, package); at != text::kNowhere;
       at = text::find(status, package, at)) {
    if (!names_package(status, at, package)) {
      at += package.size();
      continue;
    }
    std::size_t begin = at;
    while (begin > done && !text::ends(text::first(status, begin), "\n\n")) --begin;
    std::string_view rest = text::without(status, begin);
    const std::string_view version = take_paragraph(&rest);
    if (!version.empty()) return version;
    at = done = status.size() - rest.size();
  }
  return {};
}

Version release_in_name(std::string_view package) {
  const int minor = take_number(&package);
  if (minor < 0 || !take_dash(&package)) return {};
  const int major = take_number(&package);
  if (major <= 0 || !take_dash(&package)) return {};
  return {major, minor};
}

Version release_behind_tilde(std::string_view version) {
  const std::size_t tilde = text::find(version, "~");
  if (tilde == text::kNowhere) return {};
  return major_minor(upstream(text::without(version, tilde + 1)));
}

}  // namespace anycuda
