// SPDX-License-Identifier: Apache-2.0

// How much a test does: ANYCUDA_STRESS is empty in ctest --preset test, "long" in ctest --preset
// long, "hours" in ctest --preset hours.
#pragma once

#include <chrono>
#include <cstdlib>
#include <string>

namespace anycuda::test {

inline std::string kind() {
  const char* kind = std::getenv("ANYCUDA_STRESS");
  return kind != nullptr ? kind : "";
}
inline long amount(long plain, long when_long, long in_hours) {
  return kind().empty() ? plain : kind() == "hours" ? in_hours : when_long;
}
inline std::chrono::seconds limit() {
  return std::chrono::seconds(kind().empty() ? 500 : 5 * 3600);
}

}  // namespace anycuda::test
