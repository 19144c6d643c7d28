// SPDX-License-Identifier: Apache-2.0

// The releases of CUDA that a file may belong to. Plain values.
#pragma once

#include "anycuda/compat/version.h"

namespace anycuda {

// Releases as numbers: 1209 for CUDA 12.9.
struct ReleaseRange {
  static constexpr int kMinors = 100;  // of a major
  int first = 0;
  int last = -1;

  static constexpr ReleaseRange of_majors(int first, int last) {
    return {first * kMinors, last * kMinors + kMinors - 1};
  }
  static constexpr ReleaseRange of(int major, int minor) {
    return {major * kMinors + minor, major * kMinors + minor};
  }
  constexpr bool is_empty() const { return last < first; }
  constexpr bool is_exact() const { return first == last; }
  // Of one major?
  constexpr bool has_major() const { return !is_empty() && first / kMinors == last / kMinors; }
  constexpr ReleaseRange within(ReleaseRange other) const {
    return {first > other.first ? first : other.first, last < other.last ? last : other.last};
  }
  constexpr bool operator==(ReleaseRange other) const {
    return first == other.first && last == other.last;
  }
  constexpr Version version() const { return {first / kMinors, first % kMinors}; }
};

}  // namespace anycuda
