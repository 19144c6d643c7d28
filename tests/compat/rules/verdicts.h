// SPDX-License-Identifier: Apache-2.0

// Names of verdicts, for the messages of failing tests.
#pragma once

#include <ostream>

#include "compat/base/text.h"
#include "compat/outcome_texts.h"
#include "compat/rules/candidate_rule.h"

namespace anycuda {

inline void PrintTo(Verdict verdict, std::ostream* out) {
  *out << text::row(kVerdictNames, verdict);
}

inline DriverFacts driver_of(int number, int branch = 0) {
  return {true, version_from_cuda_number(number), branch};
}

}  // namespace anycuda
