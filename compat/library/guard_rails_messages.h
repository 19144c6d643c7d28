// SPDX-License-Identifier: Apache-2.0

// The errors of the guard rails. A message has the rule that failed in its first line, then the
// findings, then a hint.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "compat/library/component_root.h"
#include "compat/library/decision.h"

namespace anycuda::compat {

// ComponentInstance::source where the open library gave its version.
inline constexpr char kOwnVersionFunction[] = "its own version function";

// Why a candidate is refused.
struct Refusal {
  Step step = Step::accepted;
  std::string candidate;           // "nvrtc (dynamic library) of CUDA 12.9: /path (wheel ...)"
  std::string headline;            // the rule that failed
  std::vector<std::string> facts;  // what was found where: the lines below the headline
  std::string hint;
  bool stays_open =
      false;  // the library is open and cannot be closed: no other is opened beside it
};

Refusal refusal_of(const Policy& policy, const ComponentInstance& instance,
                   const DriverKnown& driver, const Decision& decision);

// Throws the error of the first candidate; it names the others, and the files that were passed
// over, each with its reason. `loaded`: the library is in the process already.
[[noreturn]] void refuse(const std::vector<Refusal>& candidates,
                         const std::set<std::string>& passed, bool loaded);

[[noreturn]] void refuse_pipeline(const BrokenFlow& flow);

// The driver rule needs a driver, which is missing or does not answer.
[[noreturn]] void refuse_without_driver(const ComponentInstance& instance, const std::string& cause,
                                        bool loaded);

// The error, with the roots of companions that do not have the component either.
NotFoundError also_searched(const NotFoundError& error, const std::vector<ComponentRoot>& roots);

// A library that the dynamic linker refused, for that cause.
Refusal refusal_unopened(const ComponentInstance& instance, const std::string& cause);
// A library that differs from its file's description.
Refusal refusal_of_mismatch(const ComponentInstance& instance, const std::string& mismatch);
// The same refusal, of a library that cannot be closed again.
Refusal staying(Refusal refusal);

}  // namespace anycuda::compat
