// SPDX-License-Identifier: Apache-2.0

// Which backend a Linker would use, asked without making one.
//
//   const BackendReport report = which_backend(inputs, options);
//   if (!report.backend) std::puts(report.reason.c_str());  // what to do
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "anycuda/linker/choice.h"
#include "anycuda/linker/input.h"
#include "anycuda/linker/options.h"

namespace anycuda::linker {

struct BackendReport {
  std::optional<Backend> backend = {};  // empty: Linker's constructor would throw BackendError
  Refusal refusal = Refusal::none;      // `none` if there is a backend
  // One sentence: the backend and why; for a refusal, what to do, and every examined file.
  std::string reason = {};
  // The choice is choose(facts), which a program can repeat with other versions; if
  // Options::backend forces a backend, the choice does not use them. A version that it did not need
  // is not known().
  Facts facts = {};
};

// Makes the checks of Linker's constructor and finds the same answer: if there is a backend,
// Linker(inputs, options) uses it and does not throw. Starts no backend and needs no context; opens
// nvJitLink if the choice depends on it. A refusal is an answer; thrown are NoInputError,
// InputError, OptionError, UnsupportedOptionError, and BackendError for a failure that leaves open
// what is installed (probe.h). Thread-safe.
[[nodiscard]] BackendReport which_backend(std::vector<Input> inputs, Options options = {});

}  // namespace anycuda::linker
