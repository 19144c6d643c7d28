// SPDX-License-Identifier: Apache-2.0

// The options of the guard rails and the environment, checked.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "anycuda/compat/constraint.h"
#include "anycuda/compat/guard_rails.h"

namespace anycuda::compat {

struct Policy {
  Mode mode = Mode::strict;
  std::optional<Constraint> constraint;
  std::optional<DriverFacts> driver;  // given by the caller
  bool forward_compatibility = false;
  std::vector<std::pair<std::string, std::string>> mixed_majors;  // names as in the catalogue
};

// The variables' texts, nullptr where they are unset.
struct Environment {
  const char* mode = nullptr;           // ANYCUDA_COMPAT
  const char* driver_compat = nullptr;  // ANYCUDA_DRIVER_COMPAT
  const char* api_mode = nullptr;       // ANYCUDA_API_COMPAT
};

// Pure. An option overrides its variable, but an invalid variable is an error nevertheless.
// `linux`: NVIDIA has its forward-compatibility package only for Linux. Throws SettingError,
// ConstraintError, UnknownNameError.
Policy resolve_policy(const Options& options, const Environment& environment, bool linux);

// The pipeline with the catalogue's spelling of its names. Throws UnknownNameError for unknown
// names and formats, SettingError for a pipeline without formats.
Pipeline checked(const Pipeline& pipeline);

}  // namespace anycuda::compat
