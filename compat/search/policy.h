// SPDX-License-Identifier: Apache-2.0

// The user's settings for a search.
#pragma once

#include "compat/rules/candidate_rule.h"

namespace anycuda {

struct WrongSetting {
  const char* variable;
  const char* value;
  const char* fallback;  // the name of the variable's default
};

// The policy by the user's variables: ANYCUDA_STUB_COMPAT, ANYCUDA_COMPAT, ANYCUDA_CROSS_MAJOR,
// ANYCUDA_DRIVER_COMPAT.
struct Policy {
  Mode mode = Mode::best_effort;              // a wheel must run without metadata, too
  const char* mode_variable = kModeVariable;  // the variable in force
  CrossMajor cross_major = CrossMajor::adapt;
  bool forward_compatibility = false;
  // Invalid values of variables. If there is one, the search opens no library.
  WrongSetting wrong[4] = {};
  int wrong_count = 0;
};
// Both are read anew at each call.
Policy read_policy();
CrossMajor read_cross_major();  // Policy::cross_major, without the others

}  // namespace anycuda
