// SPDX-License-Identifier: Apache-2.0

// Facts of compat/catalogue/distributions.txt for the stubs. Pure, libc alone.
#pragma once

#include <string_view>

namespace anycuda {

// Is a distribution's own version the version of the toolkit that it belongs to? The name in any
// spelling (PEP 503).
bool is_versioned_as_toolkit(std::string_view distribution);

}  // namespace anycuda
