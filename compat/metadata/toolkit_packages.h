// SPDX-License-Identifier: Apache-2.0

// Facts of compat/catalogue/packages.txt. Pure functions; only libc.
#pragma once

#include <cstdint>
#include <string_view>

#include "compat/metadata/toolkit_rule.h"

namespace anycuda {

// Where a package has the release of its toolkit.
enum class ReleaseIn : std::uint8_t {
  nothing,  // not one of a toolkit's
  version,
  dependency,  // not in its version
  name,
  source_version
};
ReleaseIn release_in(Manager manager, std::string_view package);

// `*` is any text, `#` a number: digits and dots.
bool fits(std::string_view pattern, std::string_view name);

}  // namespace anycuda
