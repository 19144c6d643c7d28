#include "compat/search/policy.h"

#include "compat/base/environment.h"

namespace anycuda {
namespace {

template <typename Value>
Value noted(const Setting<Value>& setting, Policy* policy, const WrongSetting& otherwise) {
  if (!setting.understood) policy->wrong[policy->wrong_count++] = otherwise;
  return setting.value;
}

}  // namespace

Policy read_policy() {
  Policy policy;
  const char* mode = environment_variable(kModeVariable);
  policy.mode =
      noted(parse_mode(mode, policy.mode), &policy, {kModeVariable, mode, name_of(policy.mode)});
  const char* cross_major = environment_variable(kCrossMajorVariable);
  const Setting<CrossMajor> parsed = parse_cross_major(cross_major);
  policy.cross_major = noted(parsed, &policy, {kCrossMajorVariable, cross_major, "adapt"});
  if (!parsed.understood) policy.cross_major = CrossMajor::reject;
  const char* driver = environment_variable(kDriverCompatVariable);
  const DriverCompat compat =
      noted(parse_driver_compat(driver), &policy, {kDriverCompatVariable, driver, "unset"});
  policy.forward_compatibility = compat == DriverCompat::assume_forward_compat;
  return policy;
}

}  // namespace anycuda
