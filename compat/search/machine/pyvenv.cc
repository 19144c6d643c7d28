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

bool is_closed(std::string_view pyvenv) {
  bool closed = false;
  while (!pyvenv.empty()) {
    const std::string_view line = text::take_line(&pyvenv);
    const std::size_t sign = text::find(line, "=");
    if (sign == text::kNowhere) continue;
    const std::string_view key = text::trimmed(text::first(line, sign));
    const std::string_view value = text::trimmed(text::without(line, sign + 1));
    if (same(key, "include-system-site-packages")) closed = !same(value, "true");
  }
  return closed;
}

}  // namespace anycuda
