// SPDX-License-Identifier: Apache-2.0
#include "compat/base/dotted_order.h"

#include <cstring>

#include "compat/base/text.h"

namespace anycuda {
namespace {

// Takes a number off a text: its digits without leading zeros. No number counts as 0.
std::string_view take_number(const char** text) {
  while (**text == '0') ++*text;
  const char* begin = *text;
  while (text::is_digit(**text)) ++*text;
  return {begin, static_cast<std::size_t>(*text - begin)};
}

}  // namespace

int compare_dotted(const char* a, const char* b) {
  while (*a != '\0' || *b != '\0') {
    const char* const rest_a = a;
    const char* const rest_b = b;
    const std::string_view x = take_number(&a);
    const std::string_view y = take_number(&b);
    if (x.size() != y.size()) return x.size() < y.size() ? -1 : 1;
    if (const int order = x.compare(y)) return order;
    if (a == rest_a && b == rest_b) return std::strcmp(a, b);
    if (*a == '.') ++a;
    if (*b == '.') ++b;
  }
  return 0;
}

}  // namespace anycuda
