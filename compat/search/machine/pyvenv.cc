// SPDX-License-Identifier: Apache-2.0
#include "compat/search/machine/pyvenv.h"

#include "compat/base/text.h"

namespace anycuda {
namespace {

bool same(std::string_view a, std::string_view lower_case) {
  if (a.size() != lower_case.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (text::lower(a[i]) != lower_case[i]) return false;
  }
  return true;
}

}  // namespace

Pyvenv parse_pyvenv(std::string_view text) {
  Pyvenv found;
  while (!text.empty()) {
    const std::string_view line = text::take_line(&text);
    const std::size_t sign = text::find(line, "=");
    if (sign == text::kNowhere) continue;
    const std::string_view key = text::trimmed(text::first(line, sign));
    const std::string_view value = text::trimmed(text::without(line, sign + 1));
    if (same(key, "include-system-site-packages")) found.closed = !same(value, "true");
    if (same(key, "home")) found.home = value;
    if (same(key, "version") || same(key, "version_info")) found.version = value;
  }
  return found;
}

}  // namespace anycuda
