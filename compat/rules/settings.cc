// SPDX-License-Identifier: Apache-2.0
#include "anycuda/compat/settings.h"

#include <cstring>
#include <initializer_list>

namespace anycuda {
namespace {

bool is(const char* text, const char* value) { return std::strcmp(text, value) == 0; }
bool unset(const char* text) { return text == nullptr || *text == '\0'; }

}  // namespace

Setting<Mode> parse_mode(const char* text, Mode value_if_unset) {
  if (unset(text)) return {value_if_unset, true};
  for (const Mode mode : {Mode::strict, Mode::best_effort, Mode::off}) {
    if (is(text, name_of(mode))) return {mode, true};
  }
  return {value_if_unset, false};
}

Setting<CrossMajor> parse_cross_major(const char* text) {
  if (unset(text) || is(text, "adapt")) return {CrossMajor::adapt, true};
  if (is(text, "reject")) return {CrossMajor::reject, true};
  return {CrossMajor::adapt, false};
}

Setting<DriverCompat> parse_driver_compat(const char* text) {
  if (unset(text)) return {DriverCompat::as_reported, true};
  if (is(text, "assume_forward_compat")) return {DriverCompat::assume_forward_compat, true};
  return {DriverCompat::as_reported, false};
}

const char* values_of(const char* variable) {
  for (const char* mode : {kModeVariable, kStubModeVariable, kApiModeVariable}) {
    if (is(variable, mode)) return "strict, best_effort or off";
  }
  if (is(variable, kCrossMajorVariable)) return "adapt or reject";
  if (is(variable, kDriverCompatVariable)) return "assume_forward_compat";
  return "";
}

const char* name_of(Mode mode) {
  switch (mode) {
    case Mode::strict:
      return "strict";
    case Mode::best_effort:
      return "best_effort";
    case Mode::off:
      return "off";
  }
  return "";
}

}  // namespace anycuda
