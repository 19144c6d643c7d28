// The errors of the guard rails. A message has the rule that failed in its first line, then what
// was found where, then a hint.
#pragma once

#include <string>

#include "compat/library/decision.h"

namespace anycuda::compat {

// Throws the error of a refusal. `loaded`: the library is in the process already.
[[noreturn]] void refuse(const Policy& policy, const ComponentInstance& instance,
                         const DriverKnown& driver, const Decision& decision, bool loaded);

[[noreturn]] void refuse_pipeline(const BrokenFlow& flow);

// The driver rule needs a driver, which is missing or does not answer.
[[noreturn]] void refuse_without_driver(const ComponentInstance& instance, const std::string& cause,
                                        bool loaded);

[[noreturn]] void refuse_unopened(const ComponentInstance& instance, const std::string& cause);

}  // namespace anycuda::compat
