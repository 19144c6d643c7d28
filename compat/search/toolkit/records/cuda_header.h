// The CUDA version that a cuda.h states. Pure, libc alone, no allocation; safe from any thread.
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
  unclear,     // defined, but as something else than the number of a CUDA version
  ambiguous    // defined more than once, with different numbers
};

struct HeaderVersion {
  HeaderState state = HeaderState::not_stated;
  Version version;  // known only if `stated`
  long number = 0;  // the first definition's, 0 if it is no number
  long other = 0;   // the first that differs from it
};

// Reads `#define CUDA_VERSION <number>` as a preprocessor would, but for two things: conditions
// are not evaluated (a definition counts in whatever branch it stands), and names and expressions
// are no numbers. Comments and string literals do not count.
HeaderVersion version_in_cuda_header(std::string_view header);

}  // namespace anycuda
