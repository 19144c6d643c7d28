// SPDX-License-Identifier: Apache-2.0
#include "compat/search/policy.h"

#include <initializer_list>

#include "compat/base/environment.h"

namespace anycuda {
namespace {

template <typename Value>
Value noted(const Setting<Value>& setting, Policy* policy, const WrongSetting& otherwise) {
  if (!setting.understood) policy->wrong[policy->wrong_count++] = otherwise;
  return setting.value;
}

// With an invalid value only the caller's own major is served.
CrossMajor used(const Setting<CrossMajor>& setting) {
  return setting.understood ? setting.value : CrossMajor::reject;
}

}  // namespace

CrossMajor read_cross_major() {
  return used(parse_cross_major(environment_variable(kCrossMajorVariable)));
}

Policy read_policy() {
  Policy policy;
  // The specific variable last: its default is the value of both.
  for (const char* variable : {kModeVariable, kStubModeVariable}) {
    const char* mode = environment_variable(variable);
    if (mode == nullptr) continue;
    policy.mode_variable = variable;
    policy.mode =
        noted(parse_mode(mode, policy.mode), &policy, {variable, mode, name_of(policy.mode)});
  }
  const char* cross_major = environment_variable(kCrossMajorVariable);
  const Setting<CrossMajor> parsed = parse_cross_major(cross_major);
  noted(parsed, &policy, {kCrossMajorVariable, cross_major, "adapt"});
  policy.cross_major = used(parsed);
  const char* driver = environment_variable(kDriverCompatVariable);
  const DriverCompat compat =
      noted(parse_driver_compat(driver), &policy, {kDriverCompatVariable, driver, "unset"});
  policy.forward_compatibility = compat == DriverCompat::assume_forward_compat;
  return policy;
}

}  // namespace anycuda
