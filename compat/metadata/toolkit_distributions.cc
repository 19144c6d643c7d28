// SPDX-License-Identifier: Apache-2.0
#include "compat/metadata/toolkit_distributions.h"

#include "compat/base/text.h"
#include "compat/metadata/records/distribution.h"

namespace anycuda {
namespace {

// kNames, from distributions.txt: a line each, and no pointers that would have to be relocated
// whenever a program starts.
#include "toolkit_distributions.inc"

}  // namespace

bool is_versioned_as_toolkit(std::string_view distribution) {
  for (std::string_view names = kNames; !names.empty();) {
    if (same_distribution(text::take_line(&names), distribution)) return true;
  }
  return false;
}

}  // namespace anycuda
