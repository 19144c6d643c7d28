// SPDX-License-Identifier: Apache-2.0

// How the cases of parameterised tests are named.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <string_view>

namespace anycuda::test {

// The letters, digits and underscores of a text, which are all that GoogleTest takes in a name.
// Each run of other characters becomes one underscore between them.
inline std::string case_name(std::string_view text) {
  std::string name;
  bool gap = false;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') {
      gap = true;
      continue;
    }
    if (gap && !name.empty()) name += '_';
    gap = false;
    name += c;
  }
  return name;
}

// The last argument of INSTANTIATE_TEST_SUITE_P: a case has the name that its parameter is printed
// with, which a structure states in its PrintTo.
inline constexpr auto kPrintedName = [](const auto& info) {
  return case_name(::testing::PrintToString(info.param));
};

}  // namespace anycuda::test
