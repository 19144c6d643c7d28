// SPDX-License-Identifier: Apache-2.0

// A CUDA version as the rules see it. Plain value, no allocation: the stubs use it too.
#pragma once

#include <cstdint>

namespace anycuda {

// `minor` < 0 means "not known": a SONAME names only the major.
struct Version {
  int major = 0;
  int minor = -1;

  constexpr bool known() const { return major > 0; }
};

// Unknown minors are oldest.
constexpr bool newer(Version a, Version b) {
  return a.major != b.major ? a.major > b.major : a.minor > b.minor;
}

// The number that cudaRuntimeGetVersion and cuDriverGetVersion give: 1000 * major + 10 * minor
// (CUDA Runtime API, "Version Management").
constexpr Version version_from_cuda_number(int number) {
  return number > 0 ? Version{number / 1000, number % 1000 / 10} : Version{};
}

constexpr int cuda_number(Version version) {
  return version.major * 1000 + (version.minor > 0 ? version.minor * 10 : 0);
}

}  // namespace anycuda
