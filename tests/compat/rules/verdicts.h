// SPDX-License-Identifier: Apache-2.0

// Names of verdicts, for the messages of failing tests.
#pragma once

#include <ostream>

#include "compat/rules/candidate_rule.h"

namespace anycuda {

inline void PrintTo(Verdict verdict, std::ostream* out) {
  const char* const names[] = {"accepted",     "newer_than_known", "other_major",
                               "other_loaded", "other_group",      "other_runtime",
                               "no_metadata",  "driver_too_old",   "driver_failed"};
  *out << names[static_cast<int>(verdict)];
}

inline DriverFacts driver_of(int number, int branch = 0) {
  return {true, version_from_cuda_number(number), branch};
}

}  // namespace anycuda
