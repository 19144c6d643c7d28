// SPDX-License-Identifier: Apache-2.0
#include "compat/metadata/toolkit_packages.h"

#include <cstring>

#include "compat/base/text.h"

namespace anycuda {
namespace {

// kPackages, from packages.txt: a line each, the manager's first letter, the pattern, a blank and
// the word's first letter; no pointers that would have to be relocated whenever a program starts.
#include "toolkit_packages.inc"

ReleaseIn meaning_of(char letter) {
  switch (letter) {
    case 't':
      return ReleaseIn::version;
    case 'n':
      return ReleaseIn::name;
    case 's':
      return ReleaseIn::source_version;
    default:
      return ReleaseIn::dependency;
  }
}

bool is_of_number(char c) { return text::is_digit(c) || c == '.'; }

}  // namespace

bool fits(std::string_view pattern, std::string_view name) {
  while (!pattern.empty() && pattern.front() != '*') {
    const char c = pattern.front();
    pattern.remove_prefix(1);
    if (name.empty() || (c == '#' ? !text::is_digit(name.front()) : c != name.front()))
      return false;
    name.remove_prefix(1);
    while (c == '#' && !name.empty() && is_of_number(name.front())) name.remove_prefix(1);
  }
  if (pattern.empty()) return name.empty();
  pattern.remove_prefix(1);
  for (;; name.remove_prefix(1)) {
    if (fits(pattern, name)) return true;
    if (name.empty()) return false;
  }
}

ReleaseIn release_in(Manager manager, std::string_view package) {
  // A system has thousands of packages: the first letters rule out most lines.
  const char letter = manager == Manager::conda ? 'c' : 'd';
  for (const char* line = kPackages; *line != '\0'; line += std::strcspn(line, "\n") + 1) {
    if (line[0] != letter || package.empty() || line[1] != package[0]) continue;
    const std::string_view pattern(line + 1, std::strcspn(line, " \n") - 1);
    if (fits(pattern, package)) return meaning_of(pattern.data()[pattern.size() + 1]);
  }
  return ReleaseIn::nothing;
}

}  // namespace anycuda
