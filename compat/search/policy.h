// What the user's settings mean to a search.
#pragma once

#include "compat/rules/candidate_rule.h"

namespace anycuda {

struct WrongSetting {
  const char* variable;
  const char* value;
  const char* fallback;  // what the variable's default is called
};

// What the user wants of the policy: ANYCUDA_STUB_COMPAT, ANYCUDA_COMPAT, ANYCUDA_CROSS_MAJOR,
// ANYCUDA_DRIVER_COMPAT.
struct Policy {
  Mode mode = Mode::best_effort;              // a wheel must run where no metadata is
  const char* mode_variable = kModeVariable;  // the variable in force
  CrossMajor cross_major = CrossMajor::adapt;
  bool forward_compatibility = false;
  // Texts that are none of a variable's values. What one could have forbidden counts as forbidden.
  WrongSetting wrong[4] = {};
  int wrong_count = 0;
};
// Read anew at each call.
Policy read_policy();

}  // namespace anycuda
