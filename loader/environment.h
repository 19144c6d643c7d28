// The environment as a stub may see it: nothing at all in a privileged process.
#pragma once

#include "compat/candidate_rule.h"

namespace anycuda {

// The variable's value, nullptr if it is unset, empty, or the process runs with privileges that
// its caller does not have (AT_SECURE): then no variable may steer what is loaded.
const char* environment_variable(const char* name);

// ANYCUDA_SYSTEM_ROOT: the folder that stands for "/" when the system's own places are looked
// through (a mounted image, a test's machine); "" where it is unset.
const char* system_root();

struct WrongSetting {
  const char* variable;
  const char* value;
  const char* fallback;  // what the variable's default is called
};

// What the user wants of the policy: ANYCUDA_COMPAT, ANYCUDA_CROSS_MAJOR, ANYCUDA_DRIVER_COMPAT.
struct Policy {
  Mode mode = Mode::best_effort;  // a wheel must run where no metadata is
  CrossMajor cross_major = CrossMajor::adapt;
  bool forward_compatibility = false;
  // Texts that are none of a variable's values. What one could have forbidden counts as forbidden.
  WrongSetting wrong[3] = {};
  int wrong_count = 0;
};
// Read anew at each call.
Policy read_policy();

}  // namespace anycuda
