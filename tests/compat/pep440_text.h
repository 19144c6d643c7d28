// SPDX-License-Identifier: Apache-2.0

// The normal form of a version, from what was parsed ("Normalization" in PEP 440).
#pragma once

#include <string>

#include "compat/library/options/pep440.h"

namespace anycuda::compat::pep440 {

inline std::string to_text(const Version& version) {
  static constexpr const char* kStages[] = {"", "a", "b", "rc", ""};
  std::string text = version.epoch.second == "0" ? "" : version.epoch.second + "!";
  for (std::size_t i = 0; i < version.numbers; ++i) {
    if (i > 0) text += '.';
    text += i < version.release.size() ? version.release[i].second : "0";
  }
  text += kStages[version.pre.first] + version.pre.second.second;
  if (version.post.first == 1) text += ".post" + version.post.second.second;
  if (version.dev.first == 0) text += ".dev" + version.dev.second.second;
  for (const Part& part : version.local) {
    text += (&part == &version.local.front() ? '+' : '.') + part.second;
  }
  return text;
}

}  // namespace anycuda::compat::pep440
