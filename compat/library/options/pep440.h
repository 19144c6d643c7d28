// SPDX-License-Identifier: Apache-2.0

// Versions as PEP 440 defines them: parsed and compared. Pure functions; safe from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace anycuda::compat::pep440 {

// The length of a number's digits, then its digits without leading zeros: pairs compare as the
// numbers do, of any size. A word has length 0, so it comes before every number.
using Part = std::pair<std::size_t, std::string>;

// A rank and a number; the ranks give the order of "Summary of permitted suffixes and relative
// ordering" in PEP 440.
using Suffix = std::pair<int, Part>;

struct Version {
  Part epoch{1, "0"};
  std::vector<Part> release;  // without the zeros at its end
  std::size_t numbers = 0;    // of the release as written, those zeros included
  Suffix pre{4, {}};          // 1, 2, 3: a, b, rc; 4: none; 0: none, but a development release
  Suffix post{0, {}};         // 0: none, 1: a post-release
  Suffix dev{1, {}};          // 0: a development release, 1: none
  std::vector<Part> local;

  // Development releases are pre-releases too ("Handling of pre-releases").
  bool is_prerelease() const { return pre.first != 4 || dev.first == 0; }
};

// Any spelling that PEP 440 accepts ("Normalization"): "v1.0-RC.1" is 1.0rc1. Nothing for any other
// text.
std::optional<Version> parse(std::string_view text);

// Below zero, zero, above zero.
int compare(const Version& a, const Version& b);

// Do both have the same epoch and the same first numbers?
bool same_series(const Version& a, const Version& b, std::size_t numbers);

// Without the blanks that PEP 440 ignores at both ends.
std::string_view trimmed(std::string_view text);
std::string lower(std::string_view text);  // ASCII only

}  // namespace anycuda::compat::pep440
