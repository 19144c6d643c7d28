#include "loader/environment.h"

#include <sys/auxv.h>

#include <cstdlib>

namespace anycuda {

const char* environment_variable(const char* name) {
  if (getauxval(AT_SECURE) != 0) return nullptr;
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

const char* system_root() {
  const char* root = environment_variable("ANYCUDA_SYSTEM_ROOT");
  return root != nullptr && *root == '/' ? root : "";
}

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
