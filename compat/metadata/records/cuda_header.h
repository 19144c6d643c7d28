// SPDX-License-Identifier: Apache-2.0

// The CUDA version that a cuda.h states. Pure, only libc, no allocation; safe from any thread.
//
// Source: CUDA Driver API, "Version Management": CUDA_VERSION is 1000 * major + 10 * minor.
#pragma once

#include <cstdint>
#include <string_view>

#include "anycuda/compat/version.h"

namespace anycuda {

enum class HeaderState : std::uint8_t {
  stated,
  not_stated,  // no `#define CUDA_VERSION`
  unclear,     // defined, but not as the number of a CUDA version
  ambiguous    // defined more than once, with different numbers
};

struct HeaderVersion {
  HeaderState state = HeaderState::not_stated;
  Version version;  // known only if `stated`
  long number = 0;  // the first definition's, 0 if that is not a number
  long other = 0;   // the first that differs from it
};

// Reads `#define CUDA_VERSION <number>` as a preprocessor would, with two differences: conditions
// are not evaluated (a definition in any branch counts), and only literal numbers count, not names
// or expressions. Comments and string literals are ignored.
HeaderVersion version_in_cuda_header(std::string_view header);

}  // namespace anycuda
